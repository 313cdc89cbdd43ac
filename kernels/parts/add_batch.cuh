#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/x_access.cuh"

namespace spmv {

/// No column is marked.
constexpr lidx every_col = -2;

/// `batch` elements of a row at once: all loads are independent, so all are in flight together. Of a row's
/// end only the first `left` (at least 1) count; the other lanes load the last of them once more, which costs
/// a cache hit but no branch between the loads, and drop it. Values and columns are used once and leave the
/// caches to x.
/// x(c) is element c of x.
/// A column of `skip` marks an element that is not there.
template <int batch, bool whole, lidx skip = every_col, class D, class Position, class X>
__device__ __forceinline__ D add_batch(D sum, int left, Position position, const D* __restrict__ value,
                                       const lidx* __restrict__ col, const X& x) {
  lidx c[batch];
  D v[batch];
  D w[batch];
#pragma unroll
  for (int u = 0; u < batch; ++u) {
    const offset at = position(whole ? u : min(u, left - 1));
    c[u] = __ldcs(col + at);
    v[u] = __ldcs(value + at);
  }
#pragma unroll
  for (int u = 0; u < batch; ++u)
    if (skip == every_col || c[u] != skip) w[u] = x(c[u]);
#pragma unroll
  for (int u = 0; u < batch; ++u)
    if ((whole || u < left) && (skip == every_col || c[u] != skip)) sum = multiply_add(v[u], w[u], sum);
  return sum;
}

}  // namespace spmv
