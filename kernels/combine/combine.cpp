#include "kernels/combine/combine.hpp"

#include <algorithm>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/combine/combine_host.hpp"

namespace spmv {

template <class T>
void queue_combination(Queue& queue, const Combination<T>& combination, Scalars<T>& scalars,
                       std::uint64_t line, bool in_loop) {
  CombinationData<T> data = combination.data();
  data.columns = static_cast<std::int8_t>(scalars.columns());
  if (data.count % data.columns != 0)
    throw Error(ExitCode::internal, "a vector of a combination has not the same elements in every column");
  auto view = scalars.view();
  if (!in_loop) view.stopped = nullptr;
  if (in_loop || data.formula.requires_something())
    for (int i = 0; i < data.sums; ++i)
      data.parts_before[i] = static_cast<std::int16_t>(scalars.parts(data.sum[i].slot));
  int parts = 0;
  if (queue.takes_cuda_kernels()) {
    parts = launch_combination_cuda(data, view, line, queue.stream());
  } else {
    parts = host_parts();
    const auto combine = data.columns > 1 ? &combine_columns_host<T> : &combine_host<T>;
    queue.run([=] { combine(data, view, line, parts); });
  }
  for (int i = 0; i < data.sums; ++i)
    scalars.parts(data.sum[i].slot) = std::max<int>(parts, data.parts_before[i]);
}

std::string why_no_own_kernels(const Queue& queue) {
  return queue.takes_cuda_kernels() ? why_no_own_kernels_cuda() : std::string();
}

template <class T>
void queue_own_sums(Queue& queue, Scalars<T>& scalars, SummedSlots slots) {
  const PartialSums<ScalarOf<T>> sums = partial_sums(scalars, slots);
  if (queue.takes_cuda_kernels()) return launch_own_sums_cuda<T>(sums, queue.stream());
  queue.run([=] { add_parts_host(sums); });
}

template <class T>
void queue_rank_sums(Queue& queue, Scalars<T>& scalars, SummedSlots slots, const ScalarOf<T>* others,
                     int rank, int ranks) {
  ScalarOf<T>* const slot = scalars.slot(slots.first);
  const int columns = scalars.columns();
  if (queue.takes_cuda_kernels())
    return launch_rank_sums_cuda<T>(slot, slots.count, columns, others, rank, ranks, queue.stream());
  queue.run([=] { add_ranks_host(slot, slots.count, columns, others, rank, ranks); });
}

template <class T>
void queue_sums_between_peers(Queue& queue, Scalars<T>& scalars, SummedSlots slots, const PeerView& peers,
                              int rank, int ranks) {
  launch_sums_between_peers_cuda<T>(partial_sums(scalars, slots), peers, rank, ranks, queue.stream());
}

SPMV_INSTANTIATE(queue_combination);
SPMV_INSTANTIATE(queue_own_sums);
SPMV_INSTANTIATE(queue_rank_sums);
SPMV_INSTANTIATE(queue_sums_between_peers);

}  // namespace spmv
