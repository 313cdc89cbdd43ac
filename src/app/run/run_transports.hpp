// The transports of a run, set up one after another for each layout.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/measurements.hpp"
#include "comm/choose/choose_transport.hpp"

namespace spmv {

/// Every layout of a matrix has the same halo. So a transport that cannot move it in one layout is not tried for the next
/// ones, and trials are shared through the request's earlier_trials.
class RunTransports {
 public:
  /// Sets up the transport of this name, tried as the request says, and returns what was chosen. Throws AgreedError if it
  /// cannot move the halo.
  using UseTransport =
      std::function<TransportChoice(const std::string& name, const TransportRequest& request)>;

  /// `request`: how transports are tried. Local.
  explicit RunTransports(TransportRequest request) : request_(std::move(request)) {}

  /// Sets up the transport that `measurement` names. Returns nullopt, or the reason why it is left out, which is the same for
  /// every measurement that the reason concerns. Throws AgreedError if the measurement may not be left out. Collective if
  /// `use` is.
  std::optional<LeftOut> set_up(const Measurement& measurement, const UseTransport& use);

  /// The last choice of auto_transport, or without it the first transport that was set up, with its trials: for measurements
  /// that need a queued exchange, or for the others. Its name is empty if none was set up.
  const TransportChoice& choice(bool queued_exchange) const { return choices_[queued_exchange ? 1 : 0]; }

 private:
  TransportRequest request_;
  std::array<TransportChoice, 2> choices_;  // by whether a queued exchange is needed
  std::vector<LeftOut> left_out_;
};

/// The error message of a run that could measure nothing, with all reasons. Pure.
std::string why_nothing_was_measured(const std::vector<LeftOut>& left_out);

}  // namespace spmv
