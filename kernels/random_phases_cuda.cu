#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/random_phases.hpp"

namespace spmv {
namespace {

constexpr int block_threads = 256;

template <class R>
__device__ __forceinline__ void store(RandomPhase phase, R* at) {
  *at = static_cast<R>(phase.real);
}
__device__ __forceinline__ void store(RandomPhase phase, float2* at) {
  *at = {static_cast<float>(phase.real), static_cast<float>(phase.imaginary)};
}
__device__ __forceinline__ void store(RandomPhase phase, double2* at) {
  *at = {static_cast<double>(phase.real), static_cast<double>(phase.imaginary)};
}

template <class D>
__global__ void __launch_bounds__(block_threads)
    random_phases_kernel(lidx count, const gidx* __restrict__ ids, unsigned number, bool complex_values,
                         D* __restrict__ v, int columns) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= static_cast<offset>(count) * columns) return;
  const auto column = static_cast<unsigned>(i % columns);
  store(random_phase(ids[i / columns], number + column, complex_values), v + i);
}

}  // namespace

template <class T>
void launch_random_phases_cuda(lidx count, const gidx* ids, unsigned number, T* v, int columns,
                               void* stream) {
  const offset elements = static_cast<offset>(count) * columns;
  const auto blocks = static_cast<unsigned>((elements + block_threads - 1) / block_threads);
  random_phases_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, ids, number, is_complex<T>, as_device(v), columns);
  cuda_check(cudaGetLastError(), "launch random phases (random_phases_cuda.cu)");
}

SPMV_INSTANTIATE(launch_random_phases_cuda);

}  // namespace spmv
