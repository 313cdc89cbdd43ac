#include "dist/solve/rank_sums.hpp"

#include <algorithm>
#include <utility>

#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Where the slots of all columns are, after the first one of column 0.
std::vector<lidx> places_of(SummedSlots slots, int columns) {
  std::vector<lidx> places;
  for (int column = 0; column < columns; ++column)
    for (int i = 0; i < slots.count; ++i) places.push_back(static_cast<lidx>(column * slots_apart) + i);
  return places;
}

}  // namespace

template <class T>
RankSums<T>::RankSums(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                      Scalars<T>& scalars, SummedSlots slots, const std::vector<SumRound>& rounds,
                      const std::string& transport, const TransportRequest& request)
    : scalars_(scalars), slots_(slots) {
  TransportRequest of_round = request;
  for (const SumRound& round : rounds) {
    rounds_.push_back(make_round(communicator, backend, round, transport, of_round));
    of_round.earlier_trials = nullptr;  // they are of the first round's plan
  }
  if (rounds_.size() > 1) between_ = backend->make_queue(Priority::urgent);
}

template <class T>
std::unique_ptr<typename RankSums<T>::Round> RankSums<T>::make_round(const Communicator& communicator,
                                                                     const std::shared_ptr<Backend>& backend,
                                                                     const SumRound& round,
                                                                     const std::string& transport,
                                                                     const TransportRequest& request) const {
  const int rank = communicator.rank();
  auto plan = std::make_shared<const HaloPlan>(sums_plan(round, rank, places_of(slots_, scalars_.columns())));
  const auto place = std::find(round.from.begin(), round.from.end(), rank) - round.from.begin();
  auto made = communicator.together([&] {
    return std::make_unique<Round>(
        Round{static_cast<int>(place),
              static_cast<int>(round.from.size()),
              Gather<Element>(plan->send_index, backend),
              Buffer<Element>(backend, static_cast<std::size_t>(plan->send_total()), Memory::device),
              Buffer<Element>(backend, static_cast<std::size_t>(plan->ghosts), Memory::device),
              backend->make_event(),
              backend->make_event(),
              {},
              nullptr});
  });
  constexpr int beside_the_halo = 1 << 14;  // tag; two ranks meet in one round only
  const ExchangeSetup setup{communicator, communicator.node(), std::move(plan),
                            backend,      sizeof(Element),     beside_the_halo};
  ChosenExchange chosen = set_up_transport(transport, setup, request, false);
  made->exchange = std::move(chosen.exchange);
  made->transport = std::move(chosen.choice.name);
  return made;
}

template <class T>
bool RankSums<T>::is_one_kernel(const Round& round, const Queue& queue) const {
  return &round == rounds_.front().get() && round.exchange->peers() != nullptr &&
         queue.takes_cuda_kernels() && scalars_.columns() == 1;
}

template <class T>
void RankSums<T>::start(Queue& queue) {
  if (rounds_.empty()) return queue_own_sums(queue, scalars_, slots_);
  const Round& first = *rounds_.front();
  if (is_one_kernel(first, queue)) {
    queue_sums_between_peers(queue, scalars_, slots_, *first.exchange->peers(), first.place, first.ranks);
    if (rounds_.size() > 1) start_round(1, queue);
    return;
  }
  queue_own_sums(queue, scalars_, slots_);
  start_round(0, queue);
}

template <class T>
void RankSums<T>::finish(Queue& queue) {
  if (rounds_.empty()) return;
  for (std::size_t k = is_one_kernel(*rounds_.front(), queue) ? 1 : 0; k < rounds_.size(); ++k) {
    const bool last = k + 1 == rounds_.size();
    finish_round(*rounds_[k], last ? queue : *between_);
    if (!last) start_round(k + 1, *between_);
  }
}

template <class T>
void RankSums<T>::start_round(std::size_t number, Queue& queue) {
  at_ = number;
  Round& round = *rounds_[number];
  const auto* const own = reinterpret_cast<const Element*>(scalars_.slot(slots_.first));
  if (round.exchange->gathers()) {
    queue.record(*round.ready);
    round.exchange->start_gathering(reinterpret_cast<const std::byte*>(own), round.gather.index(),
                                    *round.ready, nullptr);
  } else {
    round.gather.apply(queue, own, round.send.data());
    queue.record(*round.ready);
    round.exchange->start(reinterpret_cast<const std::byte*>(round.send.data()), *round.ready, nullptr);
  }
}

template <class T>
void RankSums<T>::finish_round(Round& round, Queue& queue) {
  round.exchange->finish(reinterpret_cast<std::byte*>(round.others.data()), *round.arrived, nullptr);
  if (between_) queue.wait(*round.ready);  // a rank without neighbours in this round waits for nothing else
  queue.wait(*round.arrived);
  queue_rank_sums(queue, scalars_, slots_, reinterpret_cast<const ScalarOf<T>*>(round.others.data()),
                  round.place, round.ranks);
}

template <class T>
std::string RankSums<T>::waiting_for() const {
  return rounds_.empty() ? std::string() : rounds_[at_]->exchange->waiting_for();
}

template <class T>
std::vector<std::string> RankSums<T>::transports() const {
  std::vector<std::string> names;
  for (const auto& round : rounds_) names.push_back(round->transport);
  return names;
}

SPMV_INSTANTIATE_CLASS(RankSums);

}  // namespace spmv
