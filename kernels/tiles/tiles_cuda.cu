// The product alone, one thread block for every tile, or tiles that are streamed.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/resident.cuh"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/x_access.cuh"
#include "kernels/tiles/even_device.cuh"
#include "kernels/tiles/streamed_cuda.cuh"

namespace spmv {
namespace {

template <ValueKind kind, int items, class T>
__global__ void __launch_bounds__(tile_threads, even_blocks_per_multiprocessor<kind, items, T>)
    multiply_tiles_kernel(const TilesView<T> a, const DeviceValue<T>* __restrict__ x,
                          DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  __shared__ EvenShared<tile_threads, items, D> shared;
  multiply_evenly<items>(kind, a, static_cast<lidx>(blockIdx.x), WholeX<D>{x}, y, add_to_y, shared);
}

template <ValueKind kind, int items, class T>
void launch_items(const TilesView<T>& view, const T* x, T* y, Update update, void* stream) {
  constexpr auto kernel = multiply_tiles_kernel<kind, items, T>;
  leave_first_cache<kernel>(even_blocks_per_multiprocessor<kind, items, T>);
  kernel<<<static_cast<unsigned>(view.tiles), tile_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      view, as_device(x), as_device(y), update == Update::add);
}

template <ValueKind kind, class T>
void launch(const TilesView<T>& view, const T* x, T* y, Update update, void* stream) {
  switch (view.items) {
    case 2:
      return launch_items<kind, 2>(view, x, y, update, stream);
    case 4:
      return launch_items<kind, 4>(view, x, y, update, stream);
    default:
      return launch_items<kind, most_tile_items>(view, x, y, update, stream);
  }
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  if (view.streamed) {
    launch_streamed(view, x, y, update, static_cast<cudaStream_t>(stream));
    return cuda_check(cudaGetLastError(), "launch CSR in streamed tiles (streamed_cuda.cu)");
  }
  with_value_kind(view.values, [&](auto kind) { launch<kind.value>(view, x, y, update, stream); });
  cuda_check(cudaGetLastError(), "launch CSR in tiles (tiles_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, TilesView);

}  // namespace spmv
