#include "app/run/run.hpp"

#include <algorithm>

#include "app/options/option_names.hpp"
#include "comm/choose/choose_transport.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "dist/modes.hpp"

namespace spmv {
namespace {

/// "all" stands for every mode, in the table's order.
void expand_modes(RunOptions& o) {
  if (std::find(o.modes.begin(), o.modes.end(), "all") == o.modes.end()) return;
  o.modes.clear();
  o.all_modes = true;
  for (const auto& mode : modes<double>()) o.modes.emplace_back(mode.name);
}

/// "all" stands for auto and every transport. auto comes first: its trials tell which of the others work.
void expand_transports(RunOptions& o) {
  if (std::find(o.transports.begin(), o.transports.end(), "all") != o.transports.end()) {
    o.transports = {auto_transport};
    for (const Transport& transport : transports()) o.transports.emplace_back(transport.name);
  }
  std::stable_partition(o.transports.begin(), o.transports.end(),
                        [](const std::string& name) { return name == auto_transport; });
}

}  // namespace

void RunOptions::check() {
  expand_modes(*this);
  expand_transports(*this);
  if (transports.empty())
    throw Error(ExitCode::usage, "--transport names no transport; see spmv_dist --list");
  for (const std::string& transport : transports) pick(transport_names(), transport, "transport");
  if (modes.empty()) throw Error(ExitCode::usage, "--mode names no mode; see spmv_dist --list");
  for (const std::string& mode : modes) pick(mode_names(), mode, "mode");
  check_matrix(*this);
  if (min_repetitions > max_repetitions)
    throw Error(ExitCode::usage, "--min-repetitions is larger than --max-repetitions");
}

Run::Run(const Session& session, const Place& place_, const RunOptions& wanted)
    : Session(session), place(place_), options(wanted) {
  options.transports.clear();
  for (const std::string& name : wanted.transports) {
    const std::string meant = transport_on(*place.backend, name);
    const bool twice = contains(wanted.transports, meant) || contains(options.transports, meant);
    if (meant == name || !twice) options.transports.push_back(meant);
  }
}

}  // namespace spmv
