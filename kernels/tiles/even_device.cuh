// How a thread block multiplies a tile whose rows may have any lengths. Nonzeros are multiplied in the order in which they
// lie in memory, products go to shared memory, and every thread adds up the same number of them, wherever rows begin
// and end: no row, long or short, delays the others. The parts of a row in neighbouring threads are added in a fixed
// order.
#pragma once

#include <cuda_runtime.h>

#include "kernels/parts/copy_ring.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/stored_value.cuh"
#include "kernels/tiles/even_sums.cuh"
#include "kernels/tiles/tiles.hpp"

namespace spmv {

/// How many nonzeros before the tile's first a cache line begins. Where neighbouring threads of a warp take whole lines, a
/// warp loads fewer of them. Packed columns begin a line with every tile.
template <class T>
__device__ __forceinline__ int nonzeros_before(const TilesView<T>& a, const Tile& tile) {
  return a.packed ? 0 : static_cast<int>(tile.first % line_nonzeros);
}

/// Products of nonzeros at(0), at(1), ..., at(count - 1) of a tile; all loads in flight together. 0 where the tile has no
/// such nonzero. The values are of this kind.
template <int count, class T, class X, class At, class D>
__device__ __forceinline__ void load_products(ValueKind kind, const TilesView<T>& a, const Tile& tile,
                                              const X& x, const At& at, D (&product)[count]) {
  const ReadOnce once(a.kept_share);
  const auto is_there = [&](int u) { return at(u) >= 0 && at(u) < tile.nonzeros; };
  lidx c[count];
  D v[count];
  if (tile.columns == ColumnKind::full) {
    const auto* const col = reinterpret_cast<const lidx*>(a.col + tile.col_at);
#pragma unroll
    for (int u = 0; u < count; ++u)
      if (is_there(u)) c[u] = once.load(col + at(u));
  } else {
    const auto* const distance = reinterpret_cast<const std::uint16_t*>(a.col + tile.col_at);
#pragma unroll
    for (int u = 0; u < count; ++u)
      if (is_there(u)) c[u] = tile.col_base + once.load(distance + at(u));
  }
#pragma unroll
  for (int u = 0; u < count; ++u)
    if (is_there(u)) v[u] = load_value(once, kind, a.value, as_device(a.dictionary), tile.first + at(u));
  D w[count];
#pragma unroll
  for (int u = 0; u < count; ++u)
    if (is_there(u)) w[u] = x(c[u]);
#pragma unroll
  for (int u = 0; u < count; ++u) product[u] = is_there(u) ? multiply_add(v[u], w[u], D{}) : D{};
}

inline constexpr int row_ends_per_unit = copy_unit / static_cast<int>(sizeof(std::uint16_t));
static_assert(tile_threads * most_tile_items <= 65535);

/// Shared memory of a thread block that multiplies tiles evenly, `items` nonzeros in a row for every thread. As small as it
/// can be: what it leaves of a multiprocessor's memory is the cache for x.
template <int threads_, int items_, class D>
struct EvenShared {
  static constexpr int threads = threads_;
  static constexpr int items = items_;
  static constexpr int nonzeros = threads * items;
  static constexpr int warps = threads / warp_size;
  static constexpr int bits = 32;
  static constexpr int rows = items <= few_tile_items ? even_tile(items).rows : streamed_tile.rows;
  // Room for the ends of a tile's rows, wherever in a unit they begin.
  static constexpr int row_end_units = rows / row_ends_per_unit + 1;
  static_assert(row_end_units <= threads && rows <= nonzeros && rows >= even_tile(items).rows);

  D product[nonzeros];  // see place_of(); in the end the sums of the rows
  D warp_lead[warps];
  unsigned begins[nonzeros / bits + 1];  // bit k: a row begins at nonzero k of the tile
  std::uint16_t row_at[nonzeros];        // which, counted from the tile's first
  uint4 row_end[row_end_units];          // as they lie in the GPU's memory, in whole units
  bool warp_begins[warps];               // some row begins in the warp

  /// Where the product of nonzero k lies. Threads that read theirs one after the other, all at the same time, meet different
  /// banks, as they do when they write neighbouring ones.
  __device__ __forceinline__ static int place_of(int k) {
    constexpr int all_banks = 128 / static_cast<int>(sizeof(D));
    static_assert(nonzeros % all_banks == 0);
    return k ^ (k / all_banks % all_banks);
  }
};

/// Starts to copy the ends of the tile's rows.
__device__ __forceinline__ void fetch_row_ends(const std::uint16_t* __restrict__ row_end, const Tile& tile,
                                               uint4* to) {
  const auto* const from = reinterpret_cast<const uint4*>(row_end) + tile.row / row_ends_per_unit;
  const int units = (tile.row % row_ends_per_unit + tile.rows + row_ends_per_unit - 1) / row_ends_per_unit;
  const int t = static_cast<int>(threadIdx.x);
  if (t < units) fetch_word(to + t, from + t);
}

/// The sum over a thread block, in thread 0.
template <class D, int warps>
__device__ __forceinline__ D block_sum(D sum, D (&of_warp)[warps]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, warp_size));
  if (lane == 0) of_warp[threadIdx.x / warp_size] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < warps; ++w) sum = add(sum, of_warp[w]);
  return sum;
}

/// A piece of a long row. The thread block that comes last adds up the row's pieces, always in their order.
template <int in_flight, class T, class X, class Shared, class D>
__device__ __forceinline__ void multiply_piece(ValueKind kind, const TilesView<T>& a, const Tile& tile,
                                               const X& x, D* __restrict__ y, bool add_to_y, Shared& shared) {
  constexpr int threads = Shared::threads;
  D sum{};
  for (lidx begin = static_cast<lidx>(threadIdx.x) - nonzeros_before(a, tile); begin < tile.nonzeros;
       begin += threads * in_flight) {
    D product[in_flight];
    load_products(
        kind, a, tile, x, [=](int u) { return begin + u * threads; }, product);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) sum = add(sum, product[u]);
  }
  sum = block_sum(sum, shared.warp_lead);
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
template <int in_flight, class T, class X, class Shared, class D>
__device__ __forceinline__ void multiply_rows(ValueKind kind, const TilesView<T>& a, const Tile& tile,
                                              const X& x, D* __restrict__ y, bool add_to_y, Shared& shared) {
  constexpr int threads = Shared::threads, items = Shared::items, bits = Shared::bits;
  static_assert(items % in_flight == 0);
  const int t = static_cast<int>(threadIdx.x);
  if (t < Shared::nonzeros / bits + 1) shared.begins[t] = 0;
  fetch_row_ends(a.row_end, tile, shared.row_end);  // waited for together with x, not after it
  // Nonzero number k of the tile, for the first threads one of its last.
  const int before = nonzeros_before(a, tile);
  const auto at = [=](int k) { return k >= before ? k - before : k - before + Shared::nonzeros; };
#pragma unroll
  for (int first = 0; first < items; first += in_flight) {
    D product[in_flight];
    load_products(
        kind, a, tile, x, [=](int u) { return at(t + (first + u) * threads); }, product);
#pragma unroll
    for (int u = 0; u < in_flight; ++u)
      shared.product[Shared::place_of(at(t + (first + u) * threads))] = product[u];
  }
  words_arrived();
  __syncthreads();
  const auto* const row_end =
      reinterpret_cast<const std::uint16_t*>(shared.row_end) + tile.row % row_ends_per_unit;
  const auto begin_of = [=](int r) { return r > 0 ? static_cast<int>(row_end[r - 1]) : 0; };
  for (int r = t; r < tile.rows; r += threads) {
    const int begin = begin_of(r);
    if (begin == row_end[r]) continue;
    atomicOr(&shared.begins[begin / bits], 1u << (begin % bits));
    shared.row_at[begin] = static_cast<std::uint16_t>(r);
  }
  D mine[items];
#pragma unroll
  for (int i = 0; i < items; ++i) mine[i] = shared.product[Shared::place_of(t * items + i)];
  __syncthreads();

  // Sums take the place of products, so that neighbouring threads store neighbouring rows.
  sum_evenly<items>(
      t * items, shared.begins, shared.row_at, [](int) { return false; },
      [&](int k) { return mine[k - t * items]; }, shared.warp_lead, shared.warp_begins,
      [&](int row, D sum) { shared.product[row] = sum; });
  __syncthreads();
  for (int r = t; r < tile.rows; r += threads)
    store_row(y, a.row_list, static_cast<offset>(tile.row) + r,
              begin_of(r) == row_end[r] ? D{} : shared.product[r], add_to_y);
}

/// Multiplies tile number `index`, of at most Shared::nonzeros, or a piece of a row. `kind` is that of a's values; where it is
/// known when this is compiled, the kernel has no other. `in_flight`: loads of a thread that are under way together, a
/// divisor of its items.
template <int in_flight, class T, class X, class Shared, class D>
__device__ __forceinline__ void multiply_evenly(ValueKind kind, const TilesView<T>& a, lidx index, const X& x,
                                                D* __restrict__ y, bool add_to_y, Shared& shared) {
  const Tile tile = a.tile[index];  // a copy: the compiler cannot know that y does not overlap it
  if (tile.rows > 0)
    multiply_rows<in_flight>(kind, a, tile, x, y, add_to_y, shared);
  else
    multiply_piece<in_flight>(kind, a, tile, x, y, add_to_y, shared);
}

/// As many thread blocks as leave registers for all loads of a thread, where values that are not loaded need none, and most
/// of a multiprocessor's memory to the cache for x.
template <ValueKind kind, int items, class T>
constexpr int even_blocks_per_multiprocessor = sizeof(T) > 8                 ? 2
                                               : items < few_tile_items      ? 6
                                               : items < most_tile_items     ? (sizeof(T) > 4 ? 5 : 6)
                                               : kind == ValueKind::constant ? 5
                                                                             : 4;

}  // namespace spmv
