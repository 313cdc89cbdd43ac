#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/x_access.cuh"

namespace spmv {

/// For `skip` of add_batch(): no column marks padding.
constexpr lidx every_col = -2;

/// sum + the products of the next `batch` elements of a row. All loads are independent, so all are in flight
/// together. `whole`: the row has that many left; otherwise only the first `left` of them count, at least 1.
/// The others load the last of these once more, which costs a cache hit but no branch between the loads, and
/// are dropped. Element u lies at position(u); x(c) is element c of x; a column of `skip` marks padding.
template <int batch, bool whole, lidx skip = every_col, class D, class Position, class X>
__device__ __forceinline__ D add_batch(const ReadOnce& once, D sum, int left, Position position,
                                       const D* __restrict__ value, const lidx* __restrict__ col,
                                       const X& x) {
  lidx c[batch];
  D v[batch];
  D w[batch];
#pragma unroll
  for (int u = 0; u < batch; ++u) {
    const offset at = position(whole ? u : min(u, left - 1));
    c[u] = once.load(col + at);
    v[u] = once.load(value + at);
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
