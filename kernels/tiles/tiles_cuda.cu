// One thread block per tile. Nonzeros are multiplied in the order in which they lie in memory, products go to
// shared memory, and every thread adds up as many of them as any other, wherever rows begin and end: no row,
// long or short, holds the others up. What is left of a row in neighbouring threads is added in a fixed
// order.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/copy_ring.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/half_value.cuh"
#include "kernels/tiles/even_sums.cuh"
#include "kernels/tiles/streamed_cuda.cuh"

namespace spmv {
namespace {

constexpr int threads = tile_threads;
constexpr int warps = threads / warp_size;

template <ValueKind kind, class D>
__device__ __forceinline__ D load_value(const unsigned char* values, const D* __restrict__ dictionary,
                                        offset k) {
  if constexpr (kind == ValueKind::constant)
    return __ldg(dictionary);
  else if constexpr (kind == ValueKind::dictionary)
    return __ldg(dictionary + __ldcs(values + k));
  else if constexpr (kind == ValueKind::half)
    return Widen<D>::from(__ldcs(reinterpret_cast<const typename Widen<D>::Half*>(values) + k));
  else
    return __ldcs(reinterpret_cast<const D*>(values) + k);
}

/// Products of the nonzeros begin, begin + threads, ... of a tile, `items` at most; all loads in flight
/// together.
template <ValueKind kind, int items, class D>
__device__ __forceinline__ void load_products(const Tile& tile, const unsigned char* cols,
                                              const unsigned char* values, const D* __restrict__ dictionary,
                                              const D* __restrict__ x, lidx begin, D (&product)[items]) {
  lidx c[items];
  D v[items];
  if (tile.columns == ColumnKind::full) {
    const auto* const col = reinterpret_cast<const lidx*>(cols + tile.col_at);
#pragma unroll
    for (int u = 0; u < items; ++u)
      if (begin + u * threads < tile.nonzeros) c[u] = __ldcs(col + begin + u * threads);
  } else {
    const auto* const distance = reinterpret_cast<const std::uint16_t*>(cols + tile.col_at);
#pragma unroll
    for (int u = 0; u < items; ++u)
      if (begin + u * threads < tile.nonzeros) c[u] = tile.col_base + __ldcs(distance + begin + u * threads);
  }
#pragma unroll
  for (int u = 0; u < items; ++u)
    if (begin + u * threads < tile.nonzeros)
      v[u] = load_value<kind>(values, dictionary, tile.first + begin + u * threads);
  D w[items];
#pragma unroll
  for (int u = 0; u < items; ++u)
    if (begin + u * threads < tile.nonzeros) w[u] = __ldg(x + c[u]);
#pragma unroll
  for (int u = 0; u < items; ++u)
    product[u] = begin + u * threads < tile.nonzeros ? multiply_add(v[u], w[u], D{}) : D{};
}

/// Room for the ends of a tile's rows, wherever in a unit they begin.
constexpr int row_ends_per_unit = copy_unit / static_cast<int>(sizeof(std::uint16_t));
constexpr int row_end_units = tile_rows / row_ends_per_unit + 1;
static_assert(row_end_units <= threads && tile_threads * most_tile_items <= 65535);

template <int items, class D>
struct Shared {
  static constexpr int nonzeros = threads * items;

  // One more after every `items`, so that threads that read their items in a row meet different banks.
  D product[nonzeros + threads];
  D warp_lead[warps];
  unsigned begins[nonzeros / 32];  // bit k: a row begins at nonzero k of the tile
  std::uint16_t row_at[nonzeros];  // which, counted from the tile's first
  uint4 row_end[row_end_units];    // as they lie in the GPU's memory, in whole units
  bool warp_begins[warps];         // some row begins in the warp
  bool last;
};

/// Starts to copy the ends of the tile's rows.
__device__ __forceinline__ void fetch_row_ends(const std::uint16_t* __restrict__ row_end, const Tile& tile,
                                               uint4 (&to)[row_end_units]) {
  const auto* const from = reinterpret_cast<const uint4*>(row_end) + tile.row / row_ends_per_unit;
  const int units = (tile.row % row_ends_per_unit + tile.rows + row_ends_per_unit - 1) / row_ends_per_unit;
  const int t = static_cast<int>(threadIdx.x);
  if (t < units) fetch_word(to + t, from + t);
}

template <int items>
constexpr int place_of(int k) {
  return k + k / items;
}

/// The sum over a thread block, in thread 0.
template <int items, class D>
__device__ __forceinline__ D block_sum(D sum, Shared<items, D>& shared) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, warp_size));
  if (lane == 0) shared.warp_lead[threadIdx.x / warp_size] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < warps; ++w) sum = add(sum, shared.warp_lead[w]);
  return sum;
}

/// A piece of a long row. The thread block that comes last adds up the row's pieces, always in their order.
template <ValueKind kind, int items, class T, class D>
__device__ __forceinline__ void multiply_piece(const TilesView<T>& a, const Tile& tile,
                                               const D* __restrict__ x, D* __restrict__ y, bool add_to_y,
                                               Shared<items, D>& shared) {
  D sum{};
  for (lidx begin = static_cast<lidx>(threadIdx.x); begin < tile.nonzeros; begin += threads * items) {
    D product[items];
    load_products<kind>(tile, a.col, a.value, as_device(a.dictionary), x, begin, product);
#pragma unroll
    for (int u = 0; u < items; ++u) sum = add(sum, product[u]);
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x > 0) return;
  if (tile.pieces > 1) {
    D* const partial = as_device(a.partial) + tile.slot;
    partial[tile.piece] = sum;
    __threadfence();  // the sum is there before the count says so
    if (atomicAdd(a.arrived + tile.slot, 1u) + 1 < static_cast<unsigned>(tile.pieces)) return;
    __threadfence();
    a.arrived[tile.slot] = 0;
    sum = D{};
    for (lidx p = 0; p < tile.pieces; ++p) sum = add(sum, __ldcg(partial + p));
  }
  store_row(y, a.row_list, tile.row, sum, add_to_y);
}

/// Whole rows.
template <ValueKind kind, int items, class T, class D>
__device__ __forceinline__ void multiply_rows(const TilesView<T>& a, const Tile& tile,
                                              const D* __restrict__ x, D* __restrict__ y, bool add_to_y,
                                              Shared<items, D>& shared) {
  const int t = static_cast<int>(threadIdx.x);
  if (t < shared.nonzeros / 32) shared.begins[t] = 0;
  fetch_row_ends(a.row_end, tile, shared.row_end);  // waited for together with x, not after it
  D product[items];
  load_products<kind>(tile, a.col, a.value, as_device(a.dictionary), x, t, product);
#pragma unroll
  for (int u = 0; u < items; ++u) shared.product[place_of<items>(t + u * threads)] = product[u];
  words_arrived();
  __syncthreads();
  const auto* const row_end =
      reinterpret_cast<const std::uint16_t*>(shared.row_end) + tile.row % row_ends_per_unit;
  for (int r = t; r < tile.rows; r += threads) {
    const offset row = static_cast<offset>(tile.row) + r;
    const int begin = r > 0 ? row_end[r - 1] : 0;
    if (begin == row_end[r]) {
      store_row(y, a.row_list, row, D{}, add_to_y);
    } else {
      atomicOr(&shared.begins[begin / 32], 1u << (begin % 32));
      shared.row_at[begin] = static_cast<std::uint16_t>(r);
    }
  }
  __syncthreads();

  // `lead` is what this thread adds to a row that began in an earlier one; `sum`, if a row begins here, is
  // the beginning of the last.
  const unsigned begins = shared.begins[t * items / 32] >> (t * items % 32) & ((1u << items) - 1);
  D lead{};
  D sum{};
  int row = -1;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (begins >> i & 1u) {
      if (row >= 0)
        store_row(y, a.row_list, static_cast<offset>(tile.row) + row, sum, add_to_y);
      else
        lead = sum;
      row = shared.row_at[t * items + i];
      sum = D{};
    }
    sum = add(sum, shared.product[place_of<items>(t * items + i)]);
  }
  if (row < 0) lead = sum;

  end_rows(row >= 0, sum, lead, shared.warp_lead, shared.warp_begins,
           [&](D whole) { store_row(y, a.row_list, static_cast<offset>(tile.row) + row, whole, add_to_y); });
}

/// As many thread blocks as leave registers for all loads of a thread; values that are not loaded need none.
template <ValueKind kind, int items, class T>
constexpr int blocks_per_multiprocessor = sizeof(T) > 8                 ? 2
                                          : items < most_tile_items     ? 6
                                          : kind == ValueKind::constant ? 5
                                                                        : 4;

template <ValueKind kind, int items, class T>
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor<kind, items, T>)
    multiply_tiles_kernel(const TilesView<T> a, const DeviceValue<T>* __restrict__ x,
                          DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  __shared__ Shared<items, D> shared;
  const Tile tile = a.tile[blockIdx.x];
  if (tile.rows > 0)
    multiply_rows<kind>(a, tile, x, y, add_to_y, shared);
  else
    multiply_piece<kind>(a, tile, x, y, add_to_y, shared);
}

template <ValueKind kind, int items, class T>
void launch_items(const TilesView<T>& view, const T* x, T* y, Update update, void* stream) {
  multiply_tiles_kernel<kind, items, T>
      <<<static_cast<unsigned>(view.tiles), threads, 0, static_cast<cudaStream_t>(stream)>>>(
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
  switch (view.values) {
    case ValueKind::constant:
      launch<ValueKind::constant>(view, x, y, update, stream);
      break;
    case ValueKind::dictionary:
      launch<ValueKind::dictionary>(view, x, y, update, stream);
      break;
    case ValueKind::half:
      launch<ValueKind::half>(view, x, y, update, stream);
      break;
    case ValueKind::full:
      launch<ValueKind::full>(view, x, y, update, stream);
      break;
  }
  cuda_check(cudaGetLastError(), "launch CSR in tiles (tiles_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, TilesView);

}  // namespace spmv
