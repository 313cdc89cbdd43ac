#include "app/run/run_transports.hpp"

#include <fmt/format.h>

#include "comm/communicator.hpp"

namespace spmv {

std::optional<LeftOut> RunTransports::set_up(const Measurement& measurement, const UseTransport& use) {
  for (const LeftOut& left : left_out_)
    if (left.transport == measurement.transport && (left.mode.empty() || left.mode == measurement.mode))
      return left;
  const bool queued = measurement.needs_queued_exchange;
  TransportChoice& choice = choices_[queued ? 1 : 0];
  const std::string& name = measurement.transport;
  TransportRequest request = request_;
  try {
    for (const TransportReport& earlier : choice.reports) {
      if (earlier.name != name) continue;
      if (!earlier.works()) throw AgreedError(ExitCode::environment, earlier.refused);
      request.child_command.clear();  // a child process has tried it before
    }
    TransportChoice used = use(name, request);
    // A transport may lack memory for the next layout; then auto chooses again.
    if (choice.name.empty() || name == auto_transport) choice = std::move(used);
  } catch (const AgreedError& error) {
    if (!measurement.may_be_left_out) throw;
    // A transport that cannot be queued may still work for the other modes.
    left_out_.push_back({queued ? measurement.mode : "", measurement.transport, error.what()});
    return left_out_.back();
  }
  return std::nullopt;
}

std::string why_nothing_was_measured(const std::vector<LeftOut>& left_out) {
  std::string text = "none of the transports named works here";
  for (const LeftOut& left : left_out)
    text +=
        fmt::format("; {}: {}", left.layout.empty() ? left.transport : "layout " + left.layout, left.reason);
  return text;
}

}  // namespace spmv
