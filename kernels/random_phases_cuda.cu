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
                         D* __restrict__ v) {
  const offset i = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count) store(random_phase(ids[i], number, complex_values), v + i);
}

}  // namespace

template <class T>
void launch_random_phases_cuda(lidx count, const gidx* ids, unsigned number, T* v, void* stream) {
  const auto blocks = static_cast<unsigned>((static_cast<offset>(count) + block_threads - 1) / block_threads);
  random_phases_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      count, ids, number, is_complex<T>, as_device(v));
  cuda_check(cudaGetLastError(), "launch random phases (random_phases_cuda.cu)");
}

SPMV_INSTANTIATE(launch_random_phases_cuda);

}  // namespace spmv
