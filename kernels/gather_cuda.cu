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
    gather_kernel(lidx count, const lidx* __restrict__ index, const D* __restrict__ x,
                  D* __restrict__ send_buffer) {
  const offset k = static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x;
  if (k < count) send_buffer[k] = __ldg(x + __ldg(index + k));
}

}  // namespace

template <class T>
void launch_gather_cuda(lidx count, const lidx* index, const T* x, T* send_buffer, void* stream) {
  if (count == 0) return;
  const unsigned blocks =
      static_cast<unsigned>((static_cast<offset>(count) + block_threads - 1) / block_threads);
  gather_kernel<<<blocks, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(count, index, as_device(x),
                                                                                 as_device(send_buffer));
  cuda_check(cudaGetLastError(), "launch a gather (gather_cuda.cu)");
}

SPMV_INSTANTIATE(launch_gather_cuda);

}  // namespace spmv
