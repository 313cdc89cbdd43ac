// One transport tried with known data: what arrives, and how long it takes.
#pragma once

#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// What a trial of a transport found; the same on every rank. Times are those of the slowest rank.
struct TransportReport {
  std::string name;
  std::string refused;    // why it cannot be taken; empty where it works
  bool tried = false;     // an exchange was begun; otherwise the machine's own word refused the transport
  double latency_s = 0;   // of an exchange of at most one element per neighbour
  double bandwidth = 0;   // bytes per second beyond the latency, at the rank that moves most; 0: unknown
  double exchange_s = 0;  // of the whole halo, the median
  bool queued_exchange = false;  // see HaloExchange::is_queued()
  bool peers = false;            // kernels may take the exchange in, see HaloExchange::peers()

  bool works() const { return refused.empty(); }
};

struct TrialLimits {
  /// After which a transport that has not answered is refused, its start apart. 0: nothing limits a
  /// trial, which is then made in the calling thread and leaves nothing behind that could end the
  /// process later: for a process that is not ours.
  double limit_s = 10;
  double measure_s = 0.05;  // that measuring may take, about
  int most_exchanges = 30;  // that are measured
};

/// Makes the transport, exchanges known data along the plan several times, compares every byte, and measures.
/// The trial has communicators of its own, so that nothing that it leaves under way meets other messages.
/// Where MPI provides ThreadLevel::multiple, a trial that does not end within Transport::start_s and
/// limits.limit_s together is left behind, see limited_work.hpp; elsewhere nothing limits it. Does not
/// ask why_unusable(). Collective.
TransportReport probe_transport(const Transport& transport, const ExchangeSetup& setup,
                                const TrialLimits& limits);

/// The same on one rank that exchanges with itself, small and large messages, in the calling thread; throws
/// Error(wrong_result). For a trial in a process of its own. Collective on the one rank.
void probe_alone(const Transport& transport, const Communicator& communicator,
                 const std::shared_ptr<Backend>& backend);

}  // namespace spmv
