#include "app/report/workspace_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/time_unit.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

Json trial_json(const ProductTrial& trial) {
  Json json = {{"mode", trial.mode}, {"layout", trial.layout}};
  if (trial.left_out.empty())
    json["product_s"] = trial.product_s;
  else
    json["left_out"] = trial.left_out;
  return json;
}

/// Whether another row may have the same mode and transport, named by the user.
bool is_starred(const WorkspaceFacts& facts) {
  return facts.transport_chosen && facts.several_transports && facts.refused.empty();
}

std::string how_it_multiplies(const WorkspaceFacts& facts) {
  std::string text = fmt::format("format {}, layout {}", facts.format, facts.layout);
  if (!facts.inner_format.empty()) text += fmt::format(", in single precision {}", facts.inner_format);
  if (!facts.sums_transport.empty()) text += fmt::format(", sums over {}", facts.sums_transport);
  if (!facts.normalised.empty()) text += ", " + facts.normalised;
  if (!facts.shared_kernel.empty())
    text += ", combinations of vectors in one kernel for all, which is slower (" + facts.shared_kernel + ")";
  std::size_t timed = 0;
  bool modes = false;
  for (const ProductTrial& trial : facts.layout_trials) {
    if (!trial.left_out.empty()) continue;
    ++timed;
    modes |= trial.mode != facts.mode;
  }
  if (timed < 2) return text;
  return text + fmt::format("; the fastest of {} {} that were tried", timed,
                            modes ? "modes and layouts" : "layouts");
}

}  // namespace

std::string end_lines(const RunHead& head, const std::vector<WorkspaceFacts>& all) {
  std::string text = "\n";
  std::vector<std::string> seen;
  for (const WorkspaceFacts& facts : all) {
    if (!facts.refused.empty()) continue;
    const std::string line = wrapped(columns_of(facts) + " ", how_it_multiplies(facts));
    if (std::find(seen.begin(), seen.end(), line) != seen.end()) continue;
    seen.push_back(line);
    text += line;
  }
  if (std::any_of(all.begin(), all.end(), is_starred)) text += "* chosen by --transport auto\n";
  if (!head.incomplete.empty()) text += wrapped("", fmt::format("INCOMPLETE: {}.", head.incomplete));
  return text;
}

void add_facts(Json& json, const WorkspaceFacts& facts) {
  json["mode"] = facts.mode;
  json["transport"] = facts.transport;
  json["transport_chosen"] = facts.transport_chosen;
  if (!facts.refused.empty()) {
    json["refused"] = facts.refused;
    return;
  }
  json["sums_transport"] = facts.sums_transport;
  json["layout"] = facts.layout;
  json["layout_trials"] = Json::array();
  for (const ProductTrial& trial : facts.layout_trials) json["layout_trials"].push_back(trial_json(trial));
  json["format"] = facts.format;
  json["normalised"] = facts.normalised;
}

std::string columns_of(const WorkspaceFacts& facts) {
  const std::string star = is_starred(facts) ? "*" : "";
  return fmt::format("{:<7} {:<11}", facts.mode, facts.transport.empty() ? "-" : star + facts.transport);
}

std::string refused_line(const std::string& first_columns, const WorkspaceFacts& facts) {
  return wrapped(first_columns + " ", facts.refused);
}

std::string step_table(const std::vector<std::pair<WorkspaceFacts, StepTimes>>& rows) {
  double longest = 0;
  for (const auto& [facts, times] : rows) longest = std::max({longest, times.step_s, times.product_s});
  const TimeUnit unit(longest);
  std::string text = fmt::format("\n{:<7} {:<11} {:>9} {:>9} {:>9} {:>9}\n", "mode", "transport",
                                 fmt::format("{} / step", unit.name()), "product", "vectors", "sums");
  for (const auto& [facts, times] : rows) {
    if (!facts.refused.empty()) continue;
    const bool parts = times.product_s > 0;
    text += fmt::format("{} {:>9} {:>9} {:>9} {:>9}\n", columns_of(facts),
                        unit.or_dash(times.step_s, times.step_s > 0), unit.or_dash(times.product_s, parts),
                        unit.or_dash(times.vectors_s, parts), unit.or_dash(times.sums_s, parts));
  }
  return text;
}

}  // namespace spmv
