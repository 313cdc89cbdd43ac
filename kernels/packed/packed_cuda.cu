#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_elements.cuh"

namespace spmv {
namespace {

/// Any slices.
template <class T>
__global__ void __launch_bounds__(most_packed_threads, packed_blocks_per_multiprocessor<T>)
    multiply_packed_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                           DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ DeviceHead<D> heads[most_packed_threads];
  multiply_any_slices(a, static_cast<lidx>(blockIdx.x), WholeX<D>{x}, y, add_to_y, warp_heads(heads),
                      reinterpret_cast<D*>(shared));
}

/// Slices whose heads are all there is.
template <class T>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    multiply_heads_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                          DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ DeviceHead<D> heads[heads_block_threads];
  multiply_heads(a, static_cast<lidx>(blockIdx.x), static_cast<lidx>(gridDim.x), WholeX<D>{x}, y, add_to_y,
                 warp_heads(heads), reinterpret_cast<D*>(shared));
}

template <class T>
void launch_elements(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (!view.only_heads)
    return launch(multiply_packed_kernel<T>, view, most_packed_threads, 0, x, y, update, stream);
  const int per_multiprocessor = heads_blocks_per_multiprocessor<T> * heads_block_threads /
                                 std::min(view.threads_per_block, heads_block_threads);
  launch(multiply_heads_kernel<T>, view, heads_block_threads, offset{multiprocessors()} * per_multiprocessor,
         x, y, update, stream);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  if (view.b == 1)
    launch_elements(view, x, y, update, static_cast<cudaStream_t>(stream));
  else
    launch_packed_blocks(view, x, y, update, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "launch packed SELL (packed_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, PackedView);

}  // namespace spmv
