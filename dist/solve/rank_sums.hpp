// Sums of a few numbers over all ranks, that stay on the device. Each round (sum_rounds.hpp) is an exchange of a tiny halo, by
// any transport: every rank adds what it gets in the order of the ranks, in pairs. So all ranks get the same bits.
#pragma once

#include <atomic>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "comm/choose/choose_transport.hpp"
#include "comm/communicator.hpp"
#include "core/buffer.hpp"
#include "dist/solve/sum_rounds.hpp"
#include "kernels/combine/combine.hpp"
#include "kernels/gather.hpp"

namespace spmv {

template <class T>
class RankSums {
 public:
  /// For `slots` of `scalars`, which must outlive this, in rounds of which this rank's are given, by the transport of this name
  /// or auto_transport. Collective; throws AgreedError as set_up_transport().
  RankSums(const Communicator& communicator, const std::shared_ptr<Backend>& backend, Scalars<T>& scalars,
           SummedSlots slots, const std::vector<SumRound>& rounds, const std::string& transport,
           const TransportRequest& request);
  /// Queues slot = the sum of all parts of all ranks, for each of the slots. Between start() and finish(), work that neither
  /// reads the slots nor leaves parts can be queued: the sums travel beside it. Collective, both on the same queue.
  void start(Queue& queue);
  void finish(Queue& queue);
  /// What the sums under way wait for, such as "flags from rank 3"; empty: for no rank, or not known. Local, any thread.
  std::string waiting_for() const;
  /// The transport of each round; empty on one rank.
  std::vector<std::string> transports() const;

 private:
  /// An element of the exchange.
  using Element = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  /// The exchange of one round.
  struct Round {
    int place;  // of this rank among those whose sums are added
    int ranks;
    Gather<Element> gather;
    Buffer<Element> send;
    Buffer<Element> others;  // the sums of the other ranks, in the order of the round
    std::unique_ptr<Event> ready;
    std::unique_ptr<Event> arrived;
    std::string transport;
    std::unique_ptr<HaloExchange> exchange;  // last: ends before what it uses
  };
  std::unique_ptr<Round> make_round(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                                    const SumRound& round, const std::string& transport,
                                    const TransportRequest& request) const;
  /// Whether one kernel does it all, in start(): on a queue of its own it would find no room beside a product.
  bool is_one_kernel(const Round& round, const Queue& queue) const;
  void start_round(std::size_t number, Queue& queue);
  void finish_round(Round& round, Queue& queue);

  Scalars<T>& scalars_;
  SummedSlots slots_;
  std::unique_ptr<Queue> between_;   // of what stands between two rounds, beside the caller's queue
  std::atomic<std::size_t> at_ = 0;  // the round under way
  std::vector<std::unique_ptr<Round>> rounds_;
};

}  // namespace spmv
