// The product alone of tiles that are streamed: as many thread blocks as the GPU holds.
#include <algorithm>

#include <cuda_runtime.h>

#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "kernels/parts/x_access.cuh"
#include "kernels/tiles/streamed_cuda.cuh"
#include "kernels/tiles/streamed_device.cuh"

namespace spmv {
namespace {

template <bool packed, ValueKind kind, class T>
__global__ void __launch_bounds__(streamed_threads, streamed::blocks_per_multiprocessor<T>)
    multiply_streamed_kernel(const TilesView<T> a, const DeviceValue<T>* __restrict__ x,
                             DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(128) unsigned char bytes[];
  streamed::multiply_tiles<packed, kind>(a, static_cast<lidx>(blockIdx.x), static_cast<lidx>(gridDim.x),
                                         WholeX<D>{x}, y, add_to_y,
                                         *reinterpret_cast<streamed::Shared<kind, D>*>(bytes));
}

template <bool packed, ValueKind kind, class T>
void launch(const TilesView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  constexpr std::size_t shared_bytes = sizeof(streamed::Shared<kind, DeviceValue<T>>);
  constexpr auto kernel = multiply_streamed_kernel<packed, kind, T>;
  const int resident = std::max(1, resident_blocks<kernel>(streamed_threads, shared_bytes));
  kernel<<<static_cast<unsigned>(std::min(view.tiles, static_cast<lidx>(resident))), streamed_threads,
           shared_bytes, stream>>>(view, as_device(x), as_device(y), update == Update::add);
}

}  // namespace

template <class T>
void launch_streamed(const TilesView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (!view.packed) return launch<false, ValueKind::full>(view, x, y, update, stream);
  with_value_kind(view.values, [&](auto kind) { launch<true, kind.value>(view, x, y, update, stream); });
}

SPMV_INSTANTIATE(launch_streamed);

}  // namespace spmv
