// A product with its exchange. The interior rows' tiles are multiplied as in a product alone; the boundary rows' evenly,
// however they are cut: a tile of either kind fits.
#include <algorithm>
#include <cstddef>

#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/fused.cuh"
#include "kernels/tiles/even_device.cuh"
#include "kernels/tiles/streamed_device.cuh"

namespace spmv {
namespace {

/// One less for few items than a product alone has: the exchange needs registers, too.
template <int items, class T>
constexpr int fused_blocks_per_multiprocessor = sizeof(T) > 8             ? 2
                                                : items < most_tile_items ? 5
                                                                          : 4;

/// Interior and boundary tiles have at most tile_threads * items nonzeros. An element of x from one of two places needs more
/// registers than one from x: two are in flight.
template <ValueKind kind, int items, class T>
__global__ void __launch_bounds__(tile_threads, fused_blocks_per_multiprocessor<items, T>)
    fused_tiles_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const TilesView<T> interior,
                       const TilesView<T> boundary) {
  using D = DeviceValue<T>;
  __shared__ EvenShared<tile_threads, items, D> shared;
  play_role(
      product, blocks, boundary.tiles,
      [&](int block, const auto& x, D* y) {
        multiply_evenly<items>(kind, interior, block, x, y, false, shared);
      },
      [&](int part, const auto& x, D* y) {
        multiply_evenly<2>(boundary.values, boundary, part, x, y, false, shared);
      });
}

/// Nonzeros of a boundary tile for each of the threads of a block whose others stream.
constexpr int boundary_items = 6;
static_assert(streamed_threads * boundary_items >= tile_threads * most_tile_items &&
              boundary_items >= streamed_items);
template <class D>
using BoundaryShared = EvenShared<streamed_threads, boundary_items, D>;

/// Interior tiles are streamed, by all blocks.
template <bool packed, ValueKind kind, class T>
__global__ void __launch_bounds__(streamed_threads, streamed::blocks_per_multiprocessor<T>)
    fused_streamed_kernel(const FusedProduct<T> product, const FusedBlocks blocks,
                          const TilesView<T> interior, const TilesView<T> boundary) {
  using D = DeviceValue<T>;
  using Streamed = streamed::Shared<kind, D>;
  extern __shared__ __align__(128) unsigned char bytes[];
  // The barriers of copies stay what they are when the memory before them is used for boundary tiles.
  static_assert(offsetof(Streamed, ring) >= sizeof(BoundaryShared<D>));
  play_roles_in_turn(
      product, blocks, boundary.tiles,
      [&](int block, int of, const auto& x, D* y) {
        streamed::multiply_tiles<packed, kind>(interior, block, of, x, y, false,
                                               *reinterpret_cast<Streamed*>(bytes));
      },
      [&](int part, const auto& x, D* y) {
        multiply_evenly<2>(boundary.values, boundary, part, x, y, false,
                           *reinterpret_cast<BoundaryShared<D>*>(bytes));
      });
}

template <ValueKind kind, int items, class T>
void launch_even(const TilesView<T>& interior, const TilesView<T>& boundary, const FusedProduct<T>& product,
                 cudaStream_t stream) {
  constexpr auto kernel = fused_tiles_kernel<kind, items, T>;
  leave_first_cache<kernel>(fused_blocks_per_multiprocessor<items, T>);
  const FusedBlocks blocks{product.peers.pieces, interior.tiles,
                           waiting_blocks(boundary.tiles, blocks_beside_each_other<kernel>(tile_threads, 0))};
  launch_behind<kernel>(blocks.all(), tile_threads, 0, stream, product, blocks, interior, boundary);
}

template <bool packed, ValueKind kind, class T>
void launch_streaming(const TilesView<T>& interior, const TilesView<T>& boundary,
                      const FusedProduct<T>& product, cudaStream_t stream) {
  constexpr auto kernel = fused_streamed_kernel<packed, kind, T>;
  constexpr std::size_t shared_bytes = sizeof(streamed::Shared<kind, DeviceValue<T>>);
  const FusedBlocks blocks =
      blocks_of_both_roles(product.peers.pieces, interior.tiles, boundary.tiles,
                           blocks_beside_each_other<kernel>(streamed_threads, shared_bytes));
  launch_behind<kernel>(blocks.all(), streamed_threads, shared_bytes, stream, product, blocks, interior,
                        boundary);
}

template <ValueKind kind, class T>
void launch(const TilesView<T>& interior, const TilesView<T>& boundary, const FusedProduct<T>& product,
            cudaStream_t stream) {
  if (interior.streamed) {
    if (kind != ValueKind::full || interior.packed)
      launch_streaming<true, kind>(interior, boundary, product, stream);
    else
      launch_streaming<false, ValueKind::full>(interior, boundary, product, stream);
  } else if (interior.items <= few_tile_items) {
    launch_even<kind, few_tile_items>(interior, boundary, product, stream);
  } else {
    launch_even<kind, most_tile_items>(interior, boundary, product, stream);
  }
}

}  // namespace

template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream) {
  with_value_kind(interior.values, [&](auto kind) {
    launch<kind.value>(interior, boundary, product, static_cast<cudaStream_t>(stream));
  });
}

SPMV_INSTANTIATE_WITH(launch_fused_cuda, TilesView);

}  // namespace spmv
