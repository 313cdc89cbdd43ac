// Sums over a thread block, always added in the same order.
#pragma once

#include <cuda_runtime.h>

#include "kernels/parts/scalar.hpp"

namespace spmv {

__device__ __forceinline__ double shuffled_down(double value, int distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}
__device__ __forceinline__ ComplexScalar shuffled_down(ComplexScalar value, int distance) {
  return {shuffled_down(value.re, distance), shuffled_down(value.im, distance)};
}

/// The sum over a warp, in its first lane.
template <class S>
__device__ __forceinline__ S warp_sum(S value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value = value + shuffled_down(value, distance);
  return value;
}

/// The sum over a thread block of so many threads, in its first thread. All threads call it together.
template <int threads, class S>
__device__ __forceinline__ S block_sum(S value) {
  __shared__ S of_warp[threads / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  S total = scalar_of<S>(0);
  if (threadIdx.x == 0)
    for (int w = 0; w < threads / 32; ++w) total = total + of_warp[w];
  __syncthreads();  // shared memory is used again
  return total;
}

}  // namespace spmv
