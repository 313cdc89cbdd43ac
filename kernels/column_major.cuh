// The CUDA product of formats that store neighbouring rows side by side: one thread per row.
#pragma once

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "kernels/device_value.cuh"
#include "kernels/local_operator.hpp"

namespace spmv {

constexpr int block_threads = 256;
/// Tells the compiler that it may use 64 registers; it then issues all loads of a batch before the first use.
/// Left alone it takes 32 and puts arithmetic between the loads. 1024 threads with 8 loads each are enough.
constexpr int blocks_per_multiprocessor = 4;

/// `batch` elements of a row at once: all loads are independent, so all are in flight together. Of a row's
/// end only the first `left` (at least 1) count; the other lanes load the last of them once more, which costs
/// a cache hit but no branch between the loads, and drop it. Values and columns are used once and leave the
/// caches to x.
template <int batch, bool whole, class D, class Position>
__device__ __forceinline__ D add_batch(D sum, int left, Position position, const D* __restrict__ value,
                                       const lidx* __restrict__ col, const D* __restrict__ x) {
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
  for (int u = 0; u < batch; ++u) w[u] = __ldg(x + c[u]);
#pragma unroll
  for (int u = 0; u < batch; ++u)
    if (whole || u < left) sum = multiply_add(v[u], w[u], sum);
  return sum;
}

/// Threads of a warp read one column in one piece. `col_start` is a functor: element j of row i is at
/// col_start(j) + i.
template <int batch, class D, class ColStart>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    multiply_columns_kernel(lidx rows, ColStart col_start, const lidx* __restrict__ row_length,
                            const D* __restrict__ value, const lidx* __restrict__ col,
                            const lidx* __restrict__ row_list, const D* __restrict__ x, D* __restrict__ y,
                            bool add_to_y) {
  const offset row = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (row >= rows) return;
  const lidx length = row_length[row];
  D sum{};
  lidx j = 0;
#pragma unroll 1
  for (; j + batch <= length; j += batch)
    sum = add_batch<batch, true>(
        sum, batch, [&](int u) { return col_start(j + u) + row; }, value, col, x);
  if (j < length)
    sum = add_batch<batch, false>(
        sum, length - j, [&](int u) { return col_start(j + u) + row; }, value, col, x);
  store_row(y, row_list, row, sum, add_to_y);
}

/// Queues the product of `view`; see launch_cuda(). `what` is for the error message.
template <class View, class ColStart>
void launch_columns(const View& view, ColStart col_start, const typename View::Value* x,
                    typename View::Value* y, Update update, void* stream, const char* what) {
  constexpr int batch = sizeof(typename View::Value) > 8 ? 4 : 8;  // complex<double> would spill occupancy
  if (view.rows == 0) return;
  const unsigned blocks =
      static_cast<unsigned>((static_cast<offset>(view.rows) + block_threads - 1) / block_threads);
  multiply_columns_kernel<batch><<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      view.rows, col_start, view.row_length, as_device(view.value), view.col, view.row_list, as_device(x),
      as_device(y), update == Update::add);
  cuda_check(cudaGetLastError(), what);
}

}  // namespace spmv
