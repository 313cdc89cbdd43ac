#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/bisection/bisection.hpp"
#include "kernels/parts/add_batch.cuh"

namespace spmv {
namespace {

constexpr int block_threads = 256;
constexpr int blocks_per_multiprocessor = 4;  // 64 registers: all loads of a batch before the first use
constexpr unsigned all_lanes = 0xffffffffu;

/// One warp per slice, one step of 32 lanes per 32 elements. From the last group to the first, so that the
/// lanes of a row can hand their sums on as they become fewer: the next group has twice the rows, and of the
/// lanes that share a row now the upper half gets another.
template <int batch, class D>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    multiply_slices_kernel(lidx rows, const offset* __restrict__ group_start,
                           const lidx* __restrict__ row_length, const D* __restrict__ value,
                           const lidx* __restrict__ col, const lidx* __restrict__ row_list,
                           const D* __restrict__ x, D* __restrict__ y, bool add_to_y, float kept_share) {
  const offset row = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % slice_rows;
  const offset slice = row / slice_rows;
  if (slice * slice_rows >= rows) return;  // the whole warp
  const lidx length = row < rows ? __ldg(row_length + row) : 0;
  const offset start = __ldg(group_start + slice * bisection_groups + min(lane, bisection_groups));
  const ReadOnce once(kept_share);
  D sum{};
#pragma unroll
  for (int g = bisection_groups - 1; g >= 0; --g) {
    const int group_rows = slice_rows >> g;
    const int threads_per_row = 1 << g;
    // Of the lane's row: up to where the group goes, or the row if it ends before.
    const lidx group_end = __shfl_sync(all_lanes, length, group_rows / 2);
    const lidx row_end = __shfl_sync(all_lanes, length, lane % group_rows);
    const lidx group_begin = g == 0 ? 0 : __shfl_sync(all_lanes, length, group_rows % slice_rows);
    const offset group_at = __shfl_sync(all_lanes, start, g) + lane;
    const lidx left = min(group_end, row_end) - group_begin - lane / group_rows;
    const lidx steps = left > 0 ? (left + threads_per_row - 1) >> g : 0;
    lidx step = 0;
#pragma unroll 1
    for (; step + batch <= steps; step += batch)
      sum = add_batch<batch, true>(
          once, sum, batch, [&](int u) { return group_at + static_cast<offset>(step + u) * slice_rows; },
          value, col, WholeX<D>{x});
    if (step < steps)
      sum = add_batch<batch, false>(
          once, sum, steps - step,
          [&](int u) { return group_at + static_cast<offset>(step + u) * slice_rows; }, value, col,
          WholeX<D>{x});
    __syncwarp();
    if (g > 0) {
      const D other = from_lane_down(sum, group_rows, slice_rows);
      sum = (lane & group_rows) == 0 ? add(sum, other) : D{};
    }
  }
  if (row < rows) store_row(y, row_list, row, sum, add_to_y);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  constexpr int batch = sizeof(typename View::Value) > 8 ? 4 : 8;  // complex<double> would spill occupancy
  if (view.rows == 0) return;
  const unsigned blocks =
      static_cast<unsigned>((static_cast<offset>(view.rows) + block_threads - 1) / block_threads);
  multiply_slices_kernel<batch><<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      view.rows, view.group_start, view.row_length, as_device(view.value), view.col, view.row_list,
      as_device(x), as_device(y), update == Update::add, view.kept_share);
  cuda_check(cudaGetLastError(), "launch BiELL or BiJAD (bisection_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, BisectionView);

}  // namespace spmv
