// Blocks of vectors on GPUs. Rows go through shared memory, a few at a time, and sums are in registers.
//
//   gram      a thread has 2 x 2 elements of G; groups of threads that have all of them share the rows of a tile
//   combine   a thread has one column of some rows
#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/dense/block_data.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/scalar.hpp"
#include "kernels/parts/summed_rows.cuh"

namespace spmv {
namespace {

constexpr int threads = 256, sum_threads = 128;
/// Elements of a block in shared memory: as many rows as fit, at least 8.
constexpr int tile_elements = 256;

template <class T>
__device__ __forceinline__ const ScalarOf<T>* as_scalars(const DenseElement<T>* at) {
  return reinterpret_cast<const ScalarOf<T>*>(at);
}
template <class T>
__device__ __forceinline__ ScalarOf<T>* as_scalars(DenseElement<T>* at) {
  return reinterpret_cast<ScalarOf<T>*>(at);
}

/// Element e of a tile that has `rows` rows from `first` on; 0 beyond them.
template <class T>
__device__ __forceinline__ ScalarOf<T> element(const T* block, offset first, int e, int rows, int k) {
  return e < rows * k ? as_scalar(as_device(block)[first * k + e]) : scalar_of<ScalarOf<T>>(0);
}

/// Thread block (part, b) leaves its part of G_b.
template <class T>
__global__ void __launch_bounds__(threads) gram_kernel(const __grid_constant__ GramRequest<T> request) {
  using S = ScalarOf<T>;
  __shared__ S x[tile_elements + 1], y[tile_elements + 1], of_group[threads];
  const int k = request.of.columns, half = (k + 1) / 2, pairs = half * half, groups = threads / pairs;
  const int group = static_cast<int>(threadIdx.x) / pairs, pair = static_cast<int>(threadIdx.x) % pairs;
  // Where k is odd, the last column is there twice, and its second sums are dropped.
  const int i0 = pair / half * 2, j0 = pair % half * 2, i1 = min(i0 + 1, k - 1), j1 = min(j0 + 1, k - 1);
  const int tile = tile_elements / k, b = static_cast<int>(blockIdx.y);
  const offset first = request.of.rows * static_cast<offset>(blockIdx.x) / request.parts;
  const offset last = request.of.rows * (static_cast<offset>(blockIdx.x) + 1) / request.parts;
  S sum[2][2] = {};
  for (offset row = first; row < last; row += tile) {
    const int rows = static_cast<int>(min(static_cast<offset>(tile), last - row));
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < tile * k; e += threads) {
      x[e] = element(request.of.x[b], row, e, rows, k);
      y[e] = element(request.of.y, row, e, rows, k);
    }
    __syncthreads();
    if (group >= groups) continue;
    for (int r = group; r < rows; r += groups) {
      const S left[2] = {conjugate(x[r * k + i0]), conjugate(x[r * k + i1])};
      const S right[2] = {y[r * k + j0], y[r * k + j1]};
      for (int u = 0; u < 2; ++u)
        for (int v = 0; v < 2; ++v) sum[u][v] = sum[u][v] + left[u] * right[v];
    }
  }
  S* const to =
      as_scalars<T>(request.partial) + (static_cast<offset>(blockIdx.x) * request.of.blocks + b) * k * k;
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v) {
      __syncthreads();
      of_group[threadIdx.x] = sum[u][v];
      __syncthreads();
      if (group != 0 || i0 + u >= k || j0 + v >= k) continue;
      S total = of_group[pair];
      for (int g = 1; g < groups; ++g) total = total + of_group[g * pairs + pair];
      to[(i0 + u) * k + j0 + v] = total;
    }
}

/// A thread adds up the parts of one element, in their order.
template <class S>
__global__ void __launch_bounds__(sum_threads)
    add_gram_parts_kernel(const S* partial, int count, int parts, S* sum) {
  const int e = static_cast<int>(blockIdx.x) * sum_threads + static_cast<int>(threadIdx.x);
  if (e >= count) return;
  S total = partial[e];
  for (int part = 1; part < parts; ++part) total = total + partial[static_cast<offset>(part) * count + e];
  sum[e] = total;
}

__device__ __forceinline__ void store(float* to, double value) {
  *to = static_cast<float>(value);
}
__device__ __forceinline__ void store(double* to, double value) {
  *to = value;
}
__device__ __forceinline__ void store(float2* to, ComplexScalar value) {
  *to = {static_cast<float>(value.re), static_cast<float>(value.im)};
}
__device__ __forceinline__ void store(double2* to, ComplexScalar value) {
  *to = {value.re, value.im};
}

/// Rows of which a thread has one column each, so that a coefficient is loaded once for all of them.
constexpr int rows_of_thread = 4;

template <class T>
__global__ void __launch_bounds__(threads)
    combine_blocks_kernel(const __grid_constant__ CombineRequest<T> request) {
  using S = ScalarOf<T>;
  __shared__ S c[most_columns * most_columns];
  const int k = request.of.columns, apart = threads / k;
  const int own = static_cast<int>(threadIdx.x) / k, j = static_cast<int>(threadIdx.x) % k;
  const offset first = static_cast<offset>(blockIdx.x) * apart * rows_of_thread + own;
  auto* const y = as_device(request.y);
  const auto is_there = [&](int u) { return own < apart && first + u * apart < request.of.rows; };
  S sum[rows_of_thread];
#pragma unroll
  for (int u = 0; u < rows_of_thread; ++u)
    sum[u] = request.adds && is_there(u) ? as_scalar(y[(first + u * apart) * k + j]) : scalar_of<S>(0);
  for (int b = 0; b < request.of.blocks; ++b) {
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < k * k; e += threads)
      c[e] = as_scalars<T>(request.coefficient)[b * k * k + e];
    __syncthreads();
    const auto* const x = as_device(request.of.x[b]);
    for (int i = 0; i < k; ++i) {
      const S factor = c[i * k + j];
#pragma unroll
      for (int u = 0; u < rows_of_thread; ++u)
        if (is_there(u)) sum[u] = sum[u] + as_scalar(x[(first + u * apart) * k + i]) * factor;
    }
  }
#pragma unroll
  for (int u = 0; u < rows_of_thread; ++u)
    if (is_there(u)) store(y + (first + u * apart) * k + j, sum[u]);
}

}  // namespace

template <class T>
void launch_gram_cuda(const GramRequest<T>& request, void* stream) {
  using S = ScalarOf<T>;
  const int count = request.of.blocks * request.of.columns * request.of.columns;
  if (count == 0) return;
  const dim3 blocks(static_cast<unsigned>(request.parts), static_cast<unsigned>(request.of.blocks));
  const auto queue = static_cast<cudaStream_t>(stream);
  gram_kernel<T><<<blocks, threads, 0, queue>>>(request);
  cuda_check(cudaGetLastError(), "launch inner products of blocks (blocks_cuda.cu)");
  const auto all = static_cast<unsigned>((count + sum_threads - 1) / sum_threads);
  add_gram_parts_kernel<S><<<all, sum_threads, 0, queue>>>(reinterpret_cast<const S*>(request.partial), count,
                                                           request.parts, reinterpret_cast<S*>(request.sum));
  cuda_check(cudaGetLastError(), "launch sums of blocks (blocks_cuda.cu)");
}

template <class T>
void launch_combine_blocks_cuda(const CombineRequest<T>& request, void* stream) {
  if (request.of.rows == 0) return;
  const offset of_block = offset{threads / request.of.columns} * rows_of_thread;
  const auto blocks = static_cast<unsigned>((request.of.rows + of_block - 1) / of_block);
  combine_blocks_kernel<T><<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(request);
  cuda_check(cudaGetLastError(), "launch a combination of blocks (blocks_cuda.cu)");
}

SPMV_INSTANTIATE(launch_gram_cuda);
SPMV_INSTANTIATE(launch_combine_blocks_cuda);

}  // namespace spmv
