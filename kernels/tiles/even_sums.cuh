// How rows end whose nonzeros several threads have added up, each as many as any other.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/parts/device_value.cuh"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Adds to the last row that begins in this thread what the threads after it have of it, always in the same order, and
/// gives the row's sum to store(). `begins`: some row begins here, of which `sum` is what this thread has. `lead`:
/// what this thread has of a row that began in an earlier one. Called by all threads of the block; `warp_lead` and
/// `warp_begins` are shared memory.
template <int warps, class D, class Store>
__device__ __forceinline__ void end_rows(bool begins, D sum, D lead, D (&warp_lead)[warps],
                                         bool (&warp_begins)[warps], const Store& store) {
  constexpr unsigned whole_warp = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  // rest: the leads of this thread and of those after it, up to the first in which a row begins.
  D rest = lead;
  bool ended = begins;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const D more = from_lane_down(rest, distance, warp_size);
    const bool more_ended = __shfl_down_sync(whole_warp, ended, distance);
    if (lane + distance < warp_size) {
      if (!ended) rest = add(rest, more);
      ended = ended || more_ended;
    }
  }
  if (lane == 0) {
    warp_lead[warp] = rest;
    warp_begins[warp] = ended;
  }
  __syncthreads();
  D behind{};
  for (int w = warp + 1; w < warps; ++w) {
    behind = add(behind, warp_lead[w]);
    if (warp_begins[w]) break;
  }
  if (!ended) rest = add(rest, behind);
  D next = from_lane_down(rest, 1, warp_size);
  if (lane == warp_size - 1) next = behind;
  if (begins) store(add(sum, next));
}

/// Adds up `items` products in a row, from `mine` on, and ends the rows that they belong to: store(row, sum) gets every row
/// that begins in the block's tile. Bit k of `begins_of_tile`: a row begins at nonzero k, whose number is row_at[k].
/// product_at(k) is the product of nonzero k; is_behind(k) says that the tile has no nonzero k. Called by all threads of
/// the block, as end_rows().
template <int items, class D, int warps, class IsBehind, class ProductAt, class Store>
__device__ __forceinline__ void sum_evenly(int mine, const unsigned* begins_of_tile,
                                           const std::uint16_t* row_at, const IsBehind& is_behind,
                                           const ProductAt& product_at, D (&warp_lead)[warps],
                                           bool (&warp_begins)[warps], const Store& store) {
  constexpr int bits = 32;
  // `lead` is what this thread adds to a row that began in an earlier one; `sum`, if a row begins here, is
  // the beginning of the last.
  const unsigned begins =
      __funnelshift_r(begins_of_tile[mine / bits], begins_of_tile[mine / bits + 1], mine % bits);
  D lead{};
  D sum{};
  int row = -1;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (is_behind(mine + i)) break;
    if (begins >> i & 1u) {
      if (row >= 0)
        store(row, sum);
      else
        lead = sum;
      row = row_at[mine + i];
      sum = D{};
    }
    sum = add(sum, product_at(mine + i));
  }
  if (row < 0) lead = sum;
  end_rows(row >= 0, sum, lead, warp_lead, warp_begins, [&](D whole) { store(row, whole); });
}

}  // namespace spmv
