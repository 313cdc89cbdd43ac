#include "app/run/transport_turns.hpp"

#include <complex>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spmv {

template <class T>
bool take_turn(const Communicator& communicator, const Options& options, const DistOptions& wanted,
               const std::string& asked, const std::string& mode, DistMatrix<T>& matrix, RunReport& report) {
  for (const LeftOut& left : report.left_out)
    if (left.transport == asked && left.mode.empty()) return false;
  const bool queued = wanted.needs_queued_exchange;
  TransportChoice& kept = queued ? report.queued_exchange_choice : report.transport_choice;
  // Every layout has the same halo: what was chosen for one matrix serves the next.
  const std::string name = asked == auto_transport && !kept.name.empty() ? kept.name : asked;
  ProbeRequest probe = wanted.probe;
  try {
    for (const TransportReport& earlier : kept.reports) {
      if (earlier.name != name) continue;
      if (!earlier.works()) throw AgreedError(ExitCode::environment, earlier.refused);
      probe.child_command.clear();  // it has been tried
    }
    matrix.use_transport(communicator, name, queued, probe);
  } catch (const AgreedError& error) {
    const bool may_be_left_out = options.transports.size() > 1 || (queued && options.all_modes);
    if (!may_be_left_out) throw;
    report.left_out.push_back({queued ? mode : "", asked, error.what()});
    return false;
  }
  if (kept.name.empty()) kept = matrix.transport_choice();
  if (report.transport.empty())
    report.transport =
        options.transports.size() == 1 ? kept.name : fmt::format("{}", fmt::join(options.transports, ","));
  return true;
}

void require_some_turn(const RunReport& report) {
  if (!report.modes.empty()) return;
  std::string text = "none of the transports named works here";
  for (const LeftOut& left : report.left_out)
    text +=
        fmt::format("; {}: {}", left.layout.empty() ? left.transport : "layout " + left.layout, left.reason);
  throw AgreedError(ExitCode::environment, text);
}

template bool take_turn(const Communicator&, const Options&, const DistOptions&, const std::string&,
                        const std::string&, DistMatrix<float>&, RunReport&);
template bool take_turn(const Communicator&, const Options&, const DistOptions&, const std::string&,
                        const std::string&, DistMatrix<double>&, RunReport&);
template bool take_turn(const Communicator&, const Options&, const DistOptions&, const std::string&,
                        const std::string&, DistMatrix<std::complex<float>>&, RunReport&);
template bool take_turn(const Communicator&, const Options&, const DistOptions&, const std::string&,
                        const std::string&, DistMatrix<std::complex<double>>&, RunReport&);

}  // namespace spmv
