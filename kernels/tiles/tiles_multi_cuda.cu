// Tiles and k columns at once, one thread block a tile, see parts/multivector.cuh.
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/stored_value.cuh"
#include "kernels/tiles/tiles.hpp"

namespace spmv {
namespace {

/// What a thread block shares that multiplies a piece of a long row.
template <class D, int width>
struct PieceShared {
  Bundle<D, width> sum[multi_block_threads];
  bool is_last;
};

/// The elements of a tile, counted from its first. Threads of neighbouring rows read the rest of each line, so it stays in the first
/// cache.
template <ColumnKind columns, ValueKind values, class D>
struct TileElements {
  using Column = std::conditional_t<columns == ColumnKind::full, lidx, std::uint16_t>;
  ReadOnce once;
  const Column* col;
  lidx base = 0;  // of distances
  const unsigned char* value;
  const D* dictionary;

  template <class T>
  __device__ __forceinline__ TileElements(const TilesView<T>& a, const Tile& tile)
      : once(a.kept_share),
        col(reinterpret_cast<const Column*>(a.col + tile.col_at)),
        value(a.value + tile.first * stored_bytes<values, D>()),
        dictionary(as_device(a.dictionary)) {
    if constexpr (columns != ColumnKind::full) base = tile.col_base;
  }
  __device__ __forceinline__ void operator()(int at, lidx& c, D& v) const {
    c = base + load(col + at);
    v = load_value<values>(*this, value, dictionary, at);
  }
  template <class E>
  __device__ __forceinline__ E load(const E* at) const {
    if constexpr (sizeof(E) < 4)
      return __ldg(at);
    else
      return once.load_with_line(at);
  }
};

/// Whole rows, as many at a time as the block has threads for.
template <int width, class T, class D, class Element>
__device__ __forceinline__ void multiply_whole_rows(const TilesView<T>& a, const Tile& tile,
                                                    const RowsOfBlock& mine, const BundleOf<D, width>& bundle,
                                                    const Element& element) {
  if (!mine.has_row()) return;
  const std::uint16_t* const row_end = a.row_end + tile.row;
  for (int r = mine.row; r < tile.rows; r += mine.rows) {
    const int begin = r > 0 ? __ldg(row_end + r - 1) : 0;
    Bundle<D, width> sum{};
    add_elements(bundle, begin, 1, __ldg(row_end + r), element, sum);
    bundle.store(offset{tile.row} + r, sum);
  }
}

/// A piece of a long row, by all threads of the block. The block that comes last adds up the row's pieces, always in their order.
template <int width, class T, class D, class Element>
__device__ __forceinline__ void multiply_piece_columns(const TilesView<T>& a, const Tile& tile,
                                                       const RowsOfBlock& mine,
                                                       const BundleOf<D, width>& bundle,
                                                       const Element& element,
                                                       PieceShared<D, width>& shared) {
  Bundle<D, width> sum{};
  if (mine.has_row()) add_elements(bundle, mine.row, mine.rows, tile.nonzeros, element, sum);
  shared.sum[threadIdx.x] = sum;
  __syncthreads();
  const bool adds_up = mine.row == 0;
  if (adds_up)
    for (int r = 1; r < mine.rows; ++r) sum = add(sum, shared.sum[r * mine.bundles + mine.bundle]);
  if (tile.pieces > 1) {
    D* const partial = as_device(a.partial) + offset{tile.slot} * most_columns + mine.bundle * width;
    if (adds_up)
      for (int i = 0; i < width; ++i) partial[offset{tile.piece} * most_columns + i] = sum.at[i];
    __threadfence();  // the sums are there before the count says so
    __syncthreads();
    if (threadIdx.x == 0)
      shared.is_last = atomicAdd(a.arrived + tile.slot, 1u) + 1 == static_cast<unsigned>(tile.pieces);
    __syncthreads();
    if (!shared.is_last) return;
    __threadfence();
    if (threadIdx.x == 0) a.arrived[tile.slot] = 0;
    if (adds_up) {
      sum = {};
      for (offset p = 0; p < tile.pieces; ++p)
        for (int i = 0; i < width; ++i) sum.at[i] = add(sum.at[i], __ldcg(partial + p * most_columns + i));
    }
  }
  if (adds_up) bundle.store(tile.row, sum);
}

template <int width, ValueKind values, class T>
__global__ void __launch_bounds__(multi_block_threads, multi_blocks_per_multiprocessor<T>)
    multiply_tiles_columns_kernel(const TilesView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                  bool add_to_y) {
  using D = DeviceValue<T>;
  __shared__ PieceShared<D, width> shared;
  wait_for_last();
  let_next_begin();
  const Tile tile = a.tile[blockIdx.x];
  const RowsOfBlock mine(k / width);
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const auto multiply = [&](const auto& elements) {
    if (tile.rows > 0)
      multiply_whole_rows(a, tile, mine, bundle, elements);
    else
      multiply_piece_columns(a, tile, mine, bundle, elements, shared);
  };
  if (tile.columns == ColumnKind::full)
    multiply(TileElements<ColumnKind::full, values, D>(a, tile));
  else
    multiply(TileElements<ColumnKind::distance16, values, D>(a, tile));
}

}  // namespace

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  using T = typename View::Value;
  with_bundle_width<T>(k, [&](auto width) {
    with_value_kind(view.values, [&](auto values) {
      launch_columns_of<multiply_tiles_columns_kernel<width.value, values.value, T>>(view, view.tiles, x, y,
                                                                                     k, update, stream);
    });
  });
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, TilesView);

}  // namespace spmv
