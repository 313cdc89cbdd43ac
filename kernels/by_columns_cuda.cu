#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"

namespace spmv {
namespace {

constexpr int block_threads = 256;

/// to[i * to_step] = from[i * from_step]
template <class D>
__global__ void __launch_bounds__(block_threads)
    copy_strided_kernel(lidx count, const D* __restrict__ from, int from_step, D* __restrict__ to,
                        int to_step) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count) to[i * to_step] = from[i * from_step];
}

template <class T>
void launch(lidx count, const T* from, int from_step, T* to, int to_step, void* stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((static_cast<offset>(count) + block_threads - 1) / block_threads);
  copy_strided_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, as_device(from), from_step, as_device(to), to_step);
  cuda_check(cudaGetLastError(), "launch a copy of a column (by_columns_cuda.cu)");
}

}  // namespace

template <class T>
void launch_take_column_cuda(const T* multi, int k, int j, lidx count, T* column, void* stream) {
  launch(count, multi + j, k, column, 1, stream);
}
template <class T>
void launch_put_column_cuda(const T* column, lidx count, T* multi, int k, int j, void* stream) {
  launch(count, column, 1, multi + j, k, stream);
}

SPMV_INSTANTIATE(launch_take_column_cuda);
SPMV_INSTANTIATE(launch_put_column_cuda);

}  // namespace spmv
