// Transports that take turns in moving the halo of one matrix.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/plan.hpp"
#include "comm/choose/choose_transport.hpp"

namespace spmv {

/// Every layout of a run's matrix has the same halo: which transport cannot move it is found out once and kept here for the
/// layouts to come, as trials are in the request's earlier_trials.
class TransportTurns {
 public:
  /// Lets the transport of this name move the halo, tried as the request says, and tells what was chosen.
  /// Throws AgreedError where it cannot.
  using UseTransport =
      std::function<TransportChoice(const std::string& name, const TransportRequest& request)>;

  /// `request`: how transports are tried. Local.
  explicit TransportTurns(TransportRequest request) : request_(std::move(request)) {}

  /// Lets the transport that `measurement` names move the halo. Empty: it does. Otherwise why not, the same
  /// again for every measurement that this concerns; where it may not be left out, throws AgreedError.
  /// Collective if `use` is.
  std::optional<LeftOut> set_up(const Measurement& measurement, const UseTransport& use);

  /// What auto_transport brought last, or else the first transport that was set up, with the trials that led to it: of those
  /// that need a queued exchange, or of the others. No name: none was.
  const TransportChoice& choice(bool queued_exchange) const { return choices_[queued_exchange ? 1 : 0]; }

 private:
  TransportRequest request_;
  std::array<TransportChoice, 2> choices_;  // by whether a queued exchange is needed
  std::vector<LeftOut> left_out_;
};

/// The message of a run in which nothing could be measured, with all the reasons. Pure.
std::string why_nothing_was_measured(const std::vector<LeftOut>& left_out);

}  // namespace spmv
