// Sums of a few numbers over all ranks, that stay on the device. It is an exchange of a tiny halo: every rank sends its sums
// to every other one, by any transport, and adds up what it has in the order of the ranks. So all ranks get the same bits.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <type_traits>

#include "comm/choose/choose_transport.hpp"
#include "comm/communicator.hpp"
#include "core/buffer.hpp"
#include "kernels/combine/combine.hpp"
#include "kernels/gather.hpp"

namespace spmv {

/// The plan of it: every rank sends the same `count` elements to every other one. Pure.
HaloPlan sums_plan(int rank, int ranks, int count);

template <class T>
class RankSums {
 public:
  /// For `slots` of `scalars`, which must outlive this, by the transport of this name or auto_transport. Collective; throws
  /// AgreedError as set_up_transport().
  RankSums(const Communicator& communicator, const std::shared_ptr<Backend>& backend, Scalars<T>& scalars,
           SummedSlots slots, const std::string& transport, const TransportRequest& request);
  /// Queues slot = the sum of all parts of all ranks, for each of the slots. Between start() and finish(), work that neither
  /// reads the slots nor leaves parts can be queued: the sums travel beside it. Collective, both on the same queue.
  void start(Queue& queue);
  void finish(Queue& queue);
  /// What the sums under way wait for, such as "flags from rank 3"; empty: for no rank, or not known. Local, any thread.
  std::string waiting_for() const { return exchange_ == nullptr ? std::string() : exchange_->waiting_for(); }
  /// Which transport carries the sums, and why; its name is empty on one rank.
  const TransportChoice& choice() const { return choice_; }

 private:
  /// An element of the exchange.
  using Element = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  /// Whether one kernel does it all, in start(): on a queue of its own it would find no room beside a product.
  bool is_one_kernel(const Queue& queue) const;
  void start_exchange(Queue& queue);

  Scalars<T>& scalars_;
  SummedSlots slots_;
  int rank_;
  int ranks_;
  Gather<Element> gather_;
  Buffer<Element> send_;
  Buffer<Element> others_;  // the sums of the other ranks, by rank
  std::unique_ptr<Event> ready_;
  std::unique_ptr<Event> arrived_;
  TransportChoice choice_;
  std::unique_ptr<HaloExchange> exchange_;  // nullptr: one rank. Last: ends before what it uses
};

}  // namespace spmv
