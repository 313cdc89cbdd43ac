#include <algorithm>

#include <cuda_runtime.h>

#include "core/launch_behind.cuh"
#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_elements.cuh"
#include "kernels/packed/packed_groups.cuh"

namespace spmv {
namespace {

/// Any slices.
template <class T, class Rows>
__global__ void __launch_bounds__(most_packed_threads, packed_blocks_per_multiprocessor<T>)
    multiply_packed_kernel(const PackedView<T> a, const DeviceValue<T>* x, Rows y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ DeviceHead<D> heads[most_packed_threads];
  wait_for_last();
  let_next_begin();
  multiply_any_slices(a, static_cast<lidx>(blockIdx.x), WholeX<D>{x}, y, add_to_y, warp_heads(heads),
                      reinterpret_cast<D*>(shared));
  leave_sums(y);
}

/// Slices whose heads are all there is.
template <class T, class Rows>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    multiply_heads_kernel(const PackedView<T> a, const DeviceValue<T>* x, Rows y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ DeviceHead<D> heads[heads_block_threads];
  wait_for_last();
  let_next_begin();
  multiply_heads(a, static_cast<lidx>(blockIdx.x), static_cast<lidx>(gridDim.x), WholeX<D>{x}, y, add_to_y,
                 warp_heads(heads), reinterpret_cast<D*>(shared));
  leave_sums(y);
}

/// Slices of few patterns, and others where there are some.
template <bool others, class T, class Rows>
__global__ void __launch_bounds__(groups_block_threads, groups_blocks_per_multiprocessor<T>)
    multiply_groups_kernel(const PackedView<T> a, const DeviceValue<T>* x, Rows y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  const auto block = static_cast<lidx>(blockIdx.x), blocks = static_cast<lidx>(gridDim.x);
  auto* const patterns = reinterpret_cast<DeviceHead<D>*>(shared);
  load_patterns(a, patterns);  // before the last kernel has ended: it does not write them
  wait_for_last();
  let_next_begin();
  multiply_groups(a, block, blocks, x, y, add_to_y, patterns);
  if constexpr (others)
    multiply_others(a, block, blocks, x, y, add_to_y, warp_heads(patterns),
                    reinterpret_cast<D*>(shared + BehindGroups<T>::heads_bytes));
  leave_sums(y);
}

template <bool others, class T, class Rows>
int launch_groups(const PackedView<T>& view, const T* x, const Rows& y, bool add_to_y, cudaStream_t stream) {
  constexpr auto kernel = multiply_groups_kernel<others, T, Rows>;
  constexpr int warps = groups_block_threads / slice_rows;
  const std::size_t shared_bytes = shared_for_groups(view, others);
  const lidx resident = std::max(1, resident_blocks<kernel>(groups_block_threads, shared_bytes));
  const lidx blocks = std::min(resident, (view.groups + warps - 1) / warps);
  launch_behind<kernel>(static_cast<unsigned>(blocks), groups_block_threads, shared_bytes, stream, view,
                        as_device(x), y, add_to_y);
  return blocks;
}

/// Rows go to `y`, a pointer or SummedRows. Returns the number of thread blocks.
template <class T, class Rows>
int launch_elements(const PackedView<T>& view, const T* x, const Rows& y, bool add_to_y,
                    cudaStream_t stream) {
  if (view.others > 0) return launch_groups<true>(view, x, y, add_to_y, stream);
  if (view.group != nullptr) return launch_groups<false>(view, x, y, add_to_y, stream);
  if (!view.only_heads)
    return launch<multiply_packed_kernel<T, Rows>>(view, most_packed_threads, 0, x, y, add_to_y, stream);
  const int threads = std::min(view.threads_per_block, heads_block_threads);
  const std::size_t shared_bytes = view.threads_per_row > 1 ? threads * sizeof(T) : 0;
  return launch<multiply_heads_kernel<T, Rows>>(
      view, heads_block_threads, resident_blocks<multiply_heads_kernel<T, Rows>>(threads, shared_bytes), x, y,
      add_to_y, stream);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  const auto on = static_cast<cudaStream_t>(stream);
  if (view.b == 1)
    launch_elements(view, x, as_device(y), update == Update::add, on);
  else
    launch_packed_blocks(view, x, SummedRows<typename View::Value>{as_device(y), nullptr, {}}, update, on);
}

template <class View>
int launch_summed_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                       const typename View::Value* own_x, const RowWork<typename View::Value>& sums,
                       void* stream) {
  if (view.rows == 0) return 0;
  const auto on = static_cast<cudaStream_t>(stream);
  const SummedRows<typename View::Value> rows{as_device(y), as_device(own_x), sums};
  return parts_of(sums, view.b == 1 ? launch_elements(view, x, rows, false, on)
                                    : launch_packed_blocks(view, x, rows, Update::assign, on));
}

SPMV_INSTANTIATE_WITH(launch_summed_cuda, PackedView);
SPMV_INSTANTIATE_WITH(launch_cuda, PackedView);

}  // namespace spmv
