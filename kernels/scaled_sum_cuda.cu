#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"

namespace spmv {
namespace {

constexpr int block_threads = 256;

template <class D>
__global__ void __launch_bounds__(block_threads)
    scaled_sum_kernel(lidx count, D alpha, const D* __restrict__ a, D beta, bool reads_y, D* __restrict__ y) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  const D scaled = multiply_add(alpha, a[i], D{});
  y[i] = reads_y ? multiply_add(beta, y[i], scaled) : scaled;
}

}  // namespace

template <class T>
void launch_scaled_sum_cuda(lidx count, T alpha, const T* a, T beta, T* y, void* stream) {
  const auto blocks = static_cast<unsigned>((static_cast<offset>(count) + block_threads - 1) / block_threads);
  scaled_sum_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, *as_device(&alpha), as_device(a), *as_device(&beta), beta != T(0), as_device(y));
  cuda_check(cudaGetLastError(), "launch a scaled sum (scaled_sum_cuda.cu)");
}

SPMV_INSTANTIATE(launch_scaled_sum_cuda);

}  // namespace spmv
