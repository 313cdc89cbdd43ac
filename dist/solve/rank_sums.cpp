#include "dist/solve/rank_sums.hpp"

#include <utility>

#include "core/value_types.hpp"

namespace spmv {

HaloPlan sums_plan(int rank, int ranks, int count) {
  HaloPlan plan;
  plan.owned = count;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    plan.neighbours.push_back({r, plan.send_total(), count, plan.ghosts, count});
    for (lidx i = 0; i < count; ++i) plan.send_index.push_back(i);
    plan.ghosts += count;
  }
  return plan;
}

template <class T>
RankSums<T>::RankSums(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                      Scalars<T>& scalars, SummedSlots slots, const std::string& transport,
                      const TransportRequest& request)
    : scalars_(scalars),
      slots_(slots),
      rank_(communicator.rank()),
      ranks_(communicator.size()),
      gather_(sums_plan(rank_, ranks_, slots.count).send_index, backend),
      send_(backend, static_cast<std::size_t>(gather_.size()), Memory::device),
      others_(backend, static_cast<std::size_t>(gather_.size()), Memory::device),
      ready_(backend->make_event()),
      arrived_(backend->make_event()) {
  if (ranks_ == 1) return;
  auto plan = std::make_shared<const HaloPlan>(sums_plan(rank_, ranks_, slots.count));
  constexpr int beside_the_halo = 1 << 14;  // tag
  const ExchangeSetup setup{communicator, communicator.node(), std::move(plan),
                            backend,      sizeof(Element),     beside_the_halo};
  ChosenExchange chosen = set_up_transport(transport, setup, request, false);
  exchange_ = std::move(chosen.exchange);
  choice_ = std::move(chosen.choice);
}

template <class T>
bool RankSums<T>::is_one_kernel(const Queue& queue) const {
  return exchange_ != nullptr && exchange_->peers() != nullptr && queue.takes_cuda_kernels();
}

template <class T>
void RankSums<T>::start(Queue& queue) {
  if (is_one_kernel(queue))
    return queue_sums_between_peers(queue, scalars_, slots_, *exchange_->peers(), rank_, ranks_);
  queue_own_sums(queue, scalars_, slots_);
  if (exchange_ != nullptr) start_exchange(queue);
}

template <class T>
void RankSums<T>::finish(Queue& queue) {
  if (exchange_ == nullptr || is_one_kernel(queue)) return;
  exchange_->finish(reinterpret_cast<std::byte*>(others_.data()), *arrived_, nullptr);
  queue.wait(*arrived_);
  queue_rank_sums(queue, scalars_, slots_, reinterpret_cast<const ScalarOf<T>*>(others_.data()), rank_,
                  ranks_);
}

template <class T>
void RankSums<T>::start_exchange(Queue& queue) {
  const auto* const own = reinterpret_cast<const Element*>(scalars_.slot(slots_.first));
  if (exchange_->gathers()) {
    queue.record(*ready_);
    exchange_->start_gathering(reinterpret_cast<const std::byte*>(own), gather_.index(), *ready_, nullptr);
  } else {
    gather_.apply(queue, own, send_.data());
    queue.record(*ready_);
    exchange_->start(reinterpret_cast<const std::byte*>(send_.data()), *ready_, nullptr);
  }
}

SPMV_INSTANTIATE_CLASS(RankSums);

}  // namespace spmv
