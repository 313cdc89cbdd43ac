// One transport tried with known data: what arrives, and how long it takes.
#pragma once

#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// What a trial of a transport found; the same on every rank. Times are those of the slowest rank.
struct TransportReport {
  std::string name;
  /// Why the transport cannot be taken; empty where it works.
  std::string refused;
  /// Whether there was a trial, in this process or in one of its own. If not, why_unusable() has refused the
  /// transport, or the process for its trial could not be started.
  bool tried = false;
  /// Time of an exchange with at most one element for each neighbour.
  double latency_s = 0;
  /// Bytes per second beyond the latency, on the rank that sends or receives most; 0: not known.
  double bandwidth = 0;
  /// Median time of an exchange of the whole halo.
  double exchange_s = 0;
  /// See HaloExchange::is_queued().
  bool queued_exchange = false;
  /// Whether the exchange can be part of the product's own kernel, see HaloExchange::peers().
  bool peers = false;

  bool works() const { return refused.empty(); }
};

/// How long one trial may take.
struct TransportTrialLimits {
  /// A transport that has not answered after so many seconds is refused. Transport::start_s comes on top.
  /// 0: nothing limits a trial. It then runs in the calling thread and leaves no thread that could
  /// end the process later: for the library, in a process that belongs to its caller.
  double limit_s = 10;
  /// Measuring takes about so many seconds at most ...
  double measure_s = 0.05;
  /// ... and no more than so many exchanges.
  int most_exchanges = 30;
};

/// Makes an exchange, exchanges known data along the plan several times, compares every byte, and measures.
/// The trial has communicators of its own, so that nothing that it leaves under way meets other messages.
/// Where MPI provides ThreadLevel::multiple, a trial that does not end within Transport::start_s and
/// limits.limit_s together is abandoned, see limited_work.hpp; elsewhere, or where limit_s is 0, nothing
/// limits it. The caller has asked why_unusable() before. Collective; what goes wrong is in the report.
TransportReport try_transport(const Transport& transport, const ExchangeSetup& setup,
                              const TransportTrialLimits& limits);

/// The same on one rank that exchanges with itself, small and large messages, in the calling thread; throws
/// Error(wrong_result). For a trial in a process of its own. Collective on the one rank.
void try_alone(const Transport& transport, const Communicator& communicator,
               const std::shared_ptr<Backend>& backend);

}  // namespace spmv
