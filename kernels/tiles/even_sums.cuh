// How rows end whose nonzeros several threads have added up, each as many as any other.
#pragma once

#include <cuda_runtime.h>

#include "kernels/parts/device_value.cuh"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Adds to the last row that begins in this thread what the threads behind it have of it, always in the same order, and
/// gives the row's sum to store(). `begins`: some row begins here, of which `sum` is what this thread has. `lead`:
/// what this thread has of a row that began in an earlier one. Called by all threads of the block; `warp_lead` and
/// `warp_begins` are shared memory.
template <int warps, class D, class Store>
__device__ __forceinline__ void end_rows(bool begins, D sum, D lead, D (&warp_lead)[warps],
                                         bool (&warp_begins)[warps], const Store& store) {
  constexpr unsigned whole_warp = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  // rest: the leads of this thread and of those behind it, up to the first in which a row begins.
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

}  // namespace spmv
