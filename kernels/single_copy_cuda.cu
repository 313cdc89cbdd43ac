#include <type_traits>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"

namespace spmv {
namespace {

constexpr int block_threads = 256;

/// to = factor * value, of real or complex numbers.
template <class To, class From>
__device__ __forceinline__ void set_scaled(To& to, double factor, const From& value) {
  if constexpr (std::is_arithmetic_v<To>) {
    to = static_cast<To>(factor * static_cast<double>(value));
  } else {
    set_scaled(to.x, factor, value.x);
    set_scaled(to.y, factor, value.y);
  }
}

template <class D, class S>
__global__ void __launch_bounds__(block_threads)
    to_single_kernel(lidx count, const lidx* __restrict__ order, double factor, const D* __restrict__ x,
                     S* __restrict__ y) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count) set_scaled(y[i], factor, x[order[i]]);
}

template <class D, class S>
__global__ void __launch_bounds__(block_threads)
    add_single_kernel(lidx count, const lidx* __restrict__ order, double factor, const S* __restrict__ y,
                      D* __restrict__ x) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= count) return;
  D scaled;
  set_scaled(scaled, factor, y[i]);
  x[order[i]] = add(x[order[i]], scaled);
}

unsigned blocks_for(lidx count) {
  return static_cast<unsigned>((static_cast<offset>(count) + block_threads - 1) / block_threads);
}

}  // namespace

template <class T>
void launch_to_single_cuda(lidx count, const lidx* order, double factor, const T* x, SingleOf<T>* y,
                           void* stream) {
  to_single_kernel<<<blocks_for(count), block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, order, factor, as_device(x), as_device(y));
  cuda_check(cudaGetLastError(), "launch a copy in single precision (single_copy_cuda.cu)");
}

template <class T>
void launch_add_single_cuda(lidx count, const lidx* order, double factor, const SingleOf<T>* y, T* x,
                            void* stream) {
  add_single_kernel<<<blocks_for(count), block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, order, factor, as_device(y), as_device(x));
  cuda_check(cudaGetLastError(), "launch an addition in single precision (single_copy_cuda.cu)");
}

SPMV_INSTANTIATE(launch_to_single_cuda);
SPMV_INSTANTIATE(launch_add_single_cuda);

}  // namespace spmv
