// Which transport moves this halo fastest, found by trying every one of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/choose/transport_trial.hpp"
#include "comm/halo_exchange.hpp"

namespace spmv {

/// In place of a transport's name: the fastest of those that work.
inline constexpr const char* auto_transport = "auto";

/// The transport to take, and why; the same on every rank.
struct TransportChoice {
  std::string name;
  std::string reason;  // one sentence
  /// One for every transport, in the table's order; empty where nothing was tried. A transport that works,
  /// but whose exchange is not queued where this choice needs that, is reported as refused.
  std::vector<TransportReport> reports;
};

/// How transports are tried.
struct TransportRequest {
  double limit_s = 10;  // per transport; 0: none, see TransportTrialLimits
  /// What starts a trial in a process of its own; the transport's and the backend's name are added. Empty:
  /// transports that may fault are refused.
  std::vector<std::string> child_command;
  /// Products that the choice is for: a transport that takes longer to start than it could save in all of them is
  /// not tried. 0: every one is.
  double products = 0;
  /// Called on every rank before a trial, with what is tried and the most seconds that it may take, so that a
  /// watchdog does not take a trial for a hang. May be empty.
  std::function<void(const std::string& step, double at_most_s)> announce;
  /// Where several choices are made along the same plan, they share this list: the first one tries every
  /// transport and fills it, the others read it and try nothing. A transport that then could not be set up is refused in
  /// it, see set_up_transport(). The same on every rank. nullptr: this choice tries for itself.
  std::shared_ptr<std::vector<TransportReport>> earlier_trials;
};

/// The transport with the least time for an exchange along the plan. Of those within 10 % of it, one whose
/// exchange can be part of the product's own kernel comes first (where a queued exchange is needed, already
/// within twice the least time, because being part of the kernel saves most of it), then one that leaves the
/// host free, then the first of the table. Without neighbours it is the first that works, untried.
/// With `needs_queued_exchange` only those count whose exchange is queued. Collective, the same on every rank; throws
/// AgreedError(environment) where none works.
TransportChoice choose_transport(const ExchangeSetup& setup, const TransportRequest& request,
                                 bool needs_queued_exchange,
                                 const std::vector<Transport>& table = transports());

/// A transport that the user named: refused where it cannot work, or fails in a process of its own.
/// Only its exchange, once it is made, tells whether it is queued. Collective; throws AgreedError(usage) for an unknown
/// name, AgreedError(environment) where it is refused.
TransportChoice accept_transport(const std::string& name, const ExchangeSetup& setup,
                                 const TransportRequest& request,
                                 const std::vector<Transport>& table = transports());

/// What moves a halo, and why.
struct ChosenExchange {
  TransportChoice choice;
  std::unique_ptr<HaloExchange> exchange;
};

/// Sets up the transport that this name means here, see transport_on(), or for auto_transport the one that choose_transport()
/// takes. What works in a trial may still fail for the whole halo, for want of memory or of open files: then auto takes the
/// next best, and the reports say why. With `needs_queued_exchange` the exchange is queued, unless no rank has neighbours.
/// Collective; throws AgreedError: for a name as accept_transport() does, or with the reason why it cannot be set up; for auto
/// where none is left.
ChosenExchange set_up_transport(const std::string& name, const ExchangeSetup& setup,
                                const TransportRequest& request, bool needs_queued_exchange,
                                const std::vector<Transport>& table = transports());

/// One line about a transport: "latency 9.1 us, 11.2 GB/s, 38.4 us for this halo", or why it is refused.
/// Pure.
std::string to_string(const TransportReport& report);

}  // namespace spmv
