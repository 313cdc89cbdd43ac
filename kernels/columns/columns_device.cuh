// One thread per row, or several: part p of T takes elements p, p + T, ... of its row. Neighbouring threads
// have neighbouring rows in either case, so a warp reads one piece of a column.
#pragma once

#include <cuda_runtime.h>

#include "kernels/columns/columns.hpp"
#include "kernels/parts/add_batch.cuh"
#include "kernels/parts/device_value.cuh"

namespace spmv {

inline constexpr int most_columns_threads = 512;
/// Tells the compiler that it may use 64 registers; it then issues all loads of a batch before the first use.
/// Left alone it takes 32 and puts arithmetic between the loads. 1024 threads with 8 loads each are enough.
inline constexpr int columns_blocks_per_multiprocessor = 2;

/// Rows of a thread block, and thread blocks for all rows.
template <class View>
offset columns_block_rows(const View& view) {
  return view.threads_per_block / view.threads_per_row;
}
template <class View>
offset columns_blocks(const View& view) {
  return (view.rows + columns_block_rows(view) - 1) / columns_block_rows(view);
}

/// The product of the rows of thread block number `block`. All threads of the block; several threads per row
/// need `shared` memory for an element each, which may be used again after the next __syncthreads().
template <int batch, bool marked, bool shared_rows, class View, class X, class D>
__device__ __forceinline__ void multiply_columns(const View& a, offset block, const X& x, D* y, bool add_to_y,
                                                 unsigned char* shared) {
  const int step = shared_rows ? a.threads_per_row : 1;
  const int block_rows = static_cast<int>(blockDim.x) / step;
  const int part = shared_rows ? static_cast<int>(threadIdx.x) / block_rows : 0;
  const int local = static_cast<int>(threadIdx.x) - part * block_rows;
  const offset row = block * block_rows + local;
  const D* const value = as_device(a.value);
  const ReadOnce once(a.kept_share);
  constexpr lidx skip = marked ? no_col : every_col;
  D sum{};
  if (row < a.rows) {
    const lidx length = marked ? a.width : __ldg(a.row_length + row);
    const auto position = [&](lidx first) {
      return [&a, row, first, step](int u) { return a.placement.at(row, first + u * step); };
    };
    lidx j = part;
#pragma unroll 1
    for (; j + (batch - 1) * step < length; j += batch * step)
      sum = add_batch<batch, true, skip>(once, sum, batch, position(j), value, a.col, x);
    if (j < length)
      sum = add_batch<batch, false, skip>(once, sum, (length - j + step - 1) / step, position(j), value,
                                          a.col, x);
  }
  if constexpr (shared_rows) {
    D* const sums = reinterpret_cast<D*>(shared);
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (part > 0) return;
    for (int p = 1; p < step; ++p) sum = add(sum, sums[p * block_rows + local]);
  }
  if (row < a.rows) store_row(y, a.row_list, row, sum, add_to_y);
}

}  // namespace spmv
