// The CUDA product of nonzeros in coordinates: for COO, and for what HYB keeps in it.
#pragma once

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/sizes.hpp"

namespace spmv {

constexpr int coo_block_threads = 256;
constexpr unsigned all_lanes = 0xffffffffu;

/// The value that `lane` of the warp holds, in all lanes.
__device__ __forceinline__ float from_lane(float value, int lane) {
  return __shfl_sync(all_lanes, value, lane);
}
__device__ __forceinline__ double from_lane(double value, int lane) {
  return __shfl_sync(all_lanes, value, lane);
}
template <class Pair>
__device__ __forceinline__ Pair from_lane(Pair value, int lane) {
  return {from_lane(value.x, lane), from_lane(value.y, lane)};
}

/// The value that the lane `distance` below holds; the lowest lanes get their own.
__device__ __forceinline__ float from_lane_up(float value, int distance) {
  return __shfl_up_sync(all_lanes, value, distance);
}
__device__ __forceinline__ double from_lane_up(double value, int distance) {
  return __shfl_up_sync(all_lanes, value, distance);
}
template <class Pair>
__device__ __forceinline__ Pair from_lane_up(Pair value, int distance) {
  return {from_lane_up(value.x, distance), from_lane_up(value.y, distance)};
}

/// The sum over the warp, in lane 0.
template <class D>
__device__ __forceinline__ D warp_sum(D sum) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, warp_size));
  return sum;
}

/// The row that a warp is in: its sum so far is spread over the lanes, or all of it is in lane 31.
template <class D>
struct OpenRow {
  lidx row = -1;  // -1: none yet. The same in all lanes, as is `spread`.
  bool spread = false;
  D sum{};

  /// In lane 0.
  __device__ __forceinline__ D total() const {
    return spread ? warp_sum(sum) : from_lane(sum, warp_size - 1);
  }
  /// The warp's next 32 products, one per lane, of rows `row_here`. Rows that end are written; all lanes call
  /// this together.
  __device__ __forceinline__ void take(lidx row_here, D product, D* y, bool add_to_y) {
    if (__all_sync(all_lanes, row_here == row)) {
      sum = add(sum, product);
      spread = true;
      return;
    }
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const D before = total();
    if (lane == 0 && row_here == row) product = add(before, product);
    if (lane == 0 && row_here != row && row >= 0) store_row(y, nullptr, row, before, add_to_y);
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const lidx row_below = __shfl_up_sync(all_lanes, row_here, distance);
      const D sum_below = from_lane_up(product, distance);
      if (lane >= distance && row_below == row_here) product = add(sum_below, product);
    }
    const lidx row_above = __shfl_down_sync(all_lanes, row_here, 1);
    if (lane < warp_size - 1 && row_above != row_here) store_row(y, nullptr, row_here, product, add_to_y);
    row = __shfl_sync(all_lanes, row_here, warp_size - 1);
    sum = lane == warp_size - 1 ? product : D{};
    spread = false;
  }
};

/// One warp per run. It writes the rows that end in the run; of the last one, if it goes on, it leaves a
/// carry to add_carries_kernel().
template <class D>
__global__ void __launch_bounds__(coo_block_threads)
    multiply_runs_kernel(offset nonzeros, const lidx* __restrict__ row, const lidx* __restrict__ col,
                         const D* __restrict__ value, const D* __restrict__ x, D* __restrict__ y,
                         lidx* __restrict__ carry_row, D* __restrict__ carry, bool add_to_y,
                         float kept_share) {
  constexpr int batch = 4;
  const ReadOnce once(kept_share);
  const offset run = (static_cast<offset>(blockIdx.x) * coo_block_threads + threadIdx.x) / warp_size;
  const offset begin = run * coo_run;
  if (begin >= nonzeros) return;  // the whole warp
  const offset end = min(begin + coo_run, nonzeros);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  OpenRow<D> open;
#pragma unroll 1
  for (offset first = begin; first < end; first += batch * warp_size) {
    // Lanes after the end name the last nonzero's row and add nothing to it.
    lidx r[batch];
    lidx c[batch];
    D v[batch];
    D w[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const offset at = min(first + u * warp_size + lane, end - 1);
      r[u] = once.load(row + at);
      c[u] = once.load(col + at);
      v[u] = once.load(value + at);
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) w[u] = __ldg(x + c[u]);
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const D product = first + u * warp_size + lane < end ? multiply_add(v[u], w[u], D{}) : D{};
      open.take(r[u], product, y, add_to_y);
    }
  }
  const D left = open.total();
  if (lane == 0) {
    const bool goes_on = end < nonzeros && __ldg(row + end) == open.row;
    if (!goes_on) store_row(y, nullptr, open.row, left, add_to_y);
    carry_row[run] = goes_on ? open.row : -1;
    carry[run] = left;
  }
}

/// Adds the carries of every row, in their order, to what the run that ends the row has written.
template <class D>
__global__ void __launch_bounds__(coo_block_threads)
    add_carries_kernel(offset runs, const lidx* __restrict__ carry_row, const D* __restrict__ carry,
                       D* __restrict__ y) {
  const offset run = static_cast<offset>(blockIdx.x) * coo_block_threads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const lidx row = run < runs ? carry_row[run] : -1;
  const bool is_first = row >= 0 && (run == 0 || carry_row[run - 1] != row);
  const bool is_last = run + 1 >= runs || carry_row[run + 1] != row;
  if (is_first && is_last) y[row] = add(y[row], carry[run]);
  // Rows that fill whole runs: the warp takes them one after the other.
  for (unsigned left = __ballot_sync(all_lanes, is_first && !is_last); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const lidx its_row = __shfl_sync(all_lanes, row, owner);
    D sum{};
    for (offset at = run + owner; at < runs && carry_row[at] == its_row; at += warp_size)
      sum = add(sum, carry[at]);
    __syncwarp();
    sum = warp_sum(sum);
    if (lane == 0) y[its_row] = add(y[its_row], sum);
  }
}

template <class D>
__global__ void __launch_bounds__(coo_block_threads)
    clear_rows_kernel(offset count, const lidx* __restrict__ row, D* __restrict__ y) {
  const offset i = static_cast<offset>(blockIdx.x) * coo_block_threads + threadIdx.x;
  if (i < count) y[row[i]] = D{};
}

inline unsigned coo_blocks(offset threads) {
  return static_cast<unsigned>((threads + coo_block_threads - 1) / coo_block_threads);
}

/// Queues the product of `view`; see launch_cuda(). `what` is for the error message.
template <class T>
void launch_coo(const CooView<T>& view, const T* x, T* y, Update update, void* stream, const char* what) {
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (update == Update::assign && view.empty_rows > 0)
    clear_rows_kernel<<<coo_blocks(view.empty_rows), coo_block_threads, 0, cuda_stream>>>(
        view.empty_rows, view.empty, as_device(y));
  const offset runs = coo_runs(view.nonzeros);
  if (runs > 0)
    multiply_runs_kernel<<<coo_blocks(runs * warp_size), coo_block_threads, 0, cuda_stream>>>(
        view.nonzeros, view.row, view.col, as_device(view.value), as_device(x), as_device(y), view.carry_row,
        as_device(view.carry), update == Update::add, view.kept_share);
  if (runs > 1)
    add_carries_kernel<<<coo_blocks(runs), coo_block_threads, 0, cuda_stream>>>(
        runs, view.carry_row, as_device(view.carry), as_device(y));
  cuda_check(cudaGetLastError(), what);
}

}  // namespace spmv
