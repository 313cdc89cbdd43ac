// `width` neighbouring lanes of a warp share a row. Values and columns are kept in L1: a row ends in the middle of a
// sector, and the next row wants the rest of it.
#pragma once

#include <type_traits>

#include <cuda_runtime.h>

#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/rows/rows.hpp"

namespace spmv {

inline constexpr int most_rows_threads = 512;

/// Thread blocks for all rows.
template <class T>
unsigned rows_blocks(const CsrView<T>& view) {
  const offset threads = static_cast<offset>(view.rows) * view.threads_per_row;
  return static_cast<unsigned>((threads + view.threads_per_block - 1) / view.threads_per_block);
}

/// Calls with_width(std::integral_constant<int, W>) for the number of threads that share a row.
template <class Work>
void with_row_width(int threads_per_row, const Work& with_width) {
  switch (threads_per_row) {
    case 1:
      return with_width(std::integral_constant<int, 1>{});
    case 2:
      return with_width(std::integral_constant<int, 2>{});
    case 4:
      return with_width(std::integral_constant<int, 4>{});
    case 8:
      return with_width(std::integral_constant<int, 8>{});
    case 16:
      return with_width(std::integral_constant<int, 16>{});
    default:
      return with_width(std::integral_constant<int, 32>{});
  }
}

/// The product of the rows of thread block number `block`. All threads of the block.
template <int width, class T, class X, class D>
__device__ __forceinline__ void multiply_rows(const CsrView<T>& a, offset block, const X& x, D* y,
                                              bool add_to_y) {
  constexpr int batch = 4;
  const offset row = (block * blockDim.x + threadIdx.x) / width;
  const int lane = static_cast<int>(threadIdx.x) % width;
  const D* const value = as_device(a.value);
  const ReadOnce once(a.kept_share);
  D sum{};
  if (row < a.rows) {  // no early return: all lanes of a warp take part in the reduction
    const offset end = __ldg(a.row_ptr + row + 1);
    offset at = __ldg(a.row_ptr + row) + lane;
#pragma unroll 1
    for (; at < end; at += batch * width) {
      lidx c[batch];
      D v[batch];
      D w[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) {
          c[u] = once.load_with_line(a.col + at + u * width);
          v[u] = once.load_with_line(value + at + u * width);
        }
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) w[u] = x(c[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) sum = multiply_add(v[u], w[u], sum);
    }
  }
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, width));
  if (row < a.rows && lane == 0) store_row(y, a.row_list, row, sum, add_to_y);
}

}  // namespace spmv
