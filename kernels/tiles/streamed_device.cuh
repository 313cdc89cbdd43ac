// A thread block goes through many tiles. While it multiplies one, the columns, values and row ends of the next
// are copied into shared memory (parts/copy_ring.cuh): so the GPU's memory is never idle, and no thread waits for it.
// Threads then wait for x alone. If the rows of a tile have similar lengths, each is added up by the same number of threads,
// whose reads of x lie side by side. Where rows differ, every thread multiplies and adds up the same number of nonzeros,
// wherever rows begin and end, so that no row delays the others; the parts of a row in neighbouring threads are added in a
// fixed order.
#pragma once

#include <cuda_runtime.h>

#include "kernels/parts/copy_ring.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/stored_value.cuh"
#include "kernels/tiles/even_sums.cuh"
#include "kernels/tiles/tiles.hpp"

namespace spmv::streamed {

inline constexpr int threads = streamed_threads;
inline constexpr int items = streamed_items;
inline constexpr int warps = threads / warp_size;
inline constexpr int stages = 2;

/// Room for `bytes` bytes that may begin anywhere in a unit.
constexpr int room(int bytes) {
  return (bytes + 2 * copy_unit - 1) / copy_unit * copy_unit;
}

/// What a tile needs, as it lies in the GPU's memory: from the beginning of a unit on.
template <ValueKind kind, class D>
struct alignas(copy_unit) Stage {
  static constexpr int nonzeros = threads * items;
  unsigned char value[room(nonzeros * stored_bytes<kind, D>())];
  unsigned char col[room(nonzeros * static_cast<int>(sizeof(lidx)))];
  unsigned char row_end[room(streamed_tile.rows * static_cast<int>(sizeof(std::uint16_t)))];
};

template <ValueKind kind, class D>
struct Shared {
  static constexpr int nonzeros = threads * items;
  // Products take the place of values where these are as long.
  static constexpr bool in_place = kind == ValueKind::full;

  Stage<kind, D> stage[stages];
  Tile tile[stages + 1];  // one more: it is read while the copies of the stages are under way
  D product[in_place ? 1 : nonzeros];
  D warp_lead[warps];
  CopyRing<stages> ring;
  unsigned begins[nonzeros / 32 + 1];  // bit k: a row begins at nonzero k of the tile
  bool warp_begins[warps];             // some row begins in the warp
};

/// A tile's streams in the GPU's memory.
struct Streams {
  WholeUnits value, col, row_end;
};
template <ValueKind kind, class D>
__device__ __forceinline__ Streams find_streams(const Tile& tile) {
  return {whole_units(tile.first * stored_bytes<kind, D>(), tile.nonzeros * stored_bytes<kind, D>()),
          whole_units(tile.col_at, tile.nonzeros * static_cast<int>(column_bytes(tile.columns))),
          whole_units(offset{tile.row} * static_cast<int>(sizeof(std::uint16_t)),
                      tile.rows * static_cast<int>(sizeof(std::uint16_t)))};
}

/// Starts to copy a tile into a stage.
template <ValueKind kind, class T, class D>
__device__ __forceinline__ void fetch(const TilesView<T>& a, const Tile& tile, int s,
                                      Shared<kind, D>& shared) {
  Stage<kind, D>& stage = shared.stage[s];
  const Streams from = find_streams<kind, D>(tile);
  const ReadOnce once(a.kept_share);
  shared.ring.begin(s, from.value.bytes + from.col.bytes + from.row_end.bytes);
  shared.ring.copy(s, once, stage.value, a.value + from.value.from, from.value.bytes);
  shared.ring.copy(s, once, stage.col, a.col + from.col.from, from.col.bytes);
  shared.ring.copy(s, once, stage.row_end,
                   reinterpret_cast<const unsigned char*>(a.row_end) + from.row_end.from, from.row_end.bytes);
}

/// A tile that has arrived. Unless the block is `packed`, its columns have 32 bits.
template <bool packed, ValueKind kind, class D>
struct Arrived {
  const Tile& tile;
  unsigned char* value;
  const unsigned char* col;
  const std::uint16_t* row_end;
  const D* dictionary;

  __device__ __forceinline__ Arrived(const Tile& of, Stage<kind, D>& stage, const D* numbered)
      : tile(of), dictionary(numbered) {
    const Streams from = find_streams<kind, D>(of);
    value = stage.value + from.value.before;
    col = stage.col + from.col.before;
    row_end = reinterpret_cast<const std::uint16_t*>(stage.row_end + from.row_end.before);
  }
  __device__ __forceinline__ lidx column_at(int k) const {
    if (!packed || tile.columns == ColumnKind::full) return reinterpret_cast<const lidx*>(col)[k];
    return tile.col_base + reinterpret_cast<const std::uint16_t*>(col)[k];
  }
  __device__ __forceinline__ D value_at(int k) const { return load_value<kind>(*this, value, dictionary, k); }
  /// For load_value().
  template <class E>
  __device__ __forceinline__ E load(const E* at) const {
    return *at;
  }
  /// First nonzero of the tile's row r.
  __device__ __forceinline__ int begin_of(int r) const { return r > 0 ? row_end[r - 1] : 0; }
};

/// Products of the nonzeros begin, begin + threads, ... of a tile; all reads of x in flight together. 0 after the
/// last one.
template <bool packed, ValueKind kind, class X, class D>
__device__ __forceinline__ void load_products(const Arrived<packed, kind, D>& a, const X& x, int begin,
                                              D (&product)[items]) {
  D w[items];
#pragma unroll
  for (int u = 0; u < items; ++u)
    if (begin + u * threads < a.tile.nonzeros) w[u] = x(a.column_at(begin + u * threads));
#pragma unroll
  for (int u = 0; u < items; ++u)
    product[u] = begin + u * threads < a.tile.nonzeros
                     ? multiply_add(a.value_at(begin + u * threads), w[u], D{})
                     : D{};
}

/// The sum over `lanes` neighbouring threads, a power of two, in the first of them. Called by all threads of the block.
template <class D>
__device__ __forceinline__ D sum_of_lanes(D sum, int lanes, D (&of_warp)[warps]) {
  for (int distance = min(lanes, warp_size) / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, min(lanes, warp_size)));
  if (lanes <= warp_size) return sum;
  const int t = static_cast<int>(threadIdx.x);
  if (t % warp_size == 0) of_warp[t / warp_size] = sum;
  __syncthreads();
  if (t % lanes == 0)
    for (int w = 1; w < lanes / warp_size; ++w) sum = add(sum, of_warp[t / warp_size + w]);
  return sum;
}

/// Whole rows of similar lengths: 2^lane_bits neighbouring threads for each. Rows of several warps are no more than the
/// block has room for at once, so that `warp_lead` is written once.
template <bool packed, ValueKind kind, class T, class X, class D>
__device__ __forceinline__ void multiply_like_rows(const TilesView<T>& a,
                                                   const Arrived<packed, kind, D>& arrived, const X& x,
                                                   D* __restrict__ y, bool add_to_y, D (&warp_lead)[warps]) {
  constexpr int in_flight = items;  // rows that fill a tile need one round then
  const Tile& tile = arrived.tile;
  const int lanes = 1 << tile.lane_bits;
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t & (lanes - 1);
  for (int first = 0; first < tile.rows;
       first += threads >> tile.lane_bits) {  // equally often in all threads
    const int r = first + (t >> tile.lane_bits);
    D sum{};
    if (r < tile.rows) {
      const int end = arrived.row_end[r];
      for (int k = arrived.begin_of(r) + lane; k < end; k += in_flight * lanes) {
        D w[in_flight];
#pragma unroll
        for (int u = 0; u < in_flight; ++u)
          if (k + u * lanes < end) w[u] = x(arrived.column_at(k + u * lanes));
#pragma unroll
        for (int u = 0; u < in_flight; ++u)
          if (k + u * lanes < end) sum = multiply_add(arrived.value_at(k + u * lanes), w[u], sum);
      }
    }
    sum = sum_of_lanes(sum, lanes, warp_lead);
    if (lane == 0 && r < tile.rows)
      store_row(y, a.row_list, static_cast<offset>(tile.row) + r, sum, add_to_y);
  }
}

/// Whole rows of any lengths.
template <bool packed, ValueKind kind, class T, class X, class D>
__device__ __forceinline__ void multiply_rows(const TilesView<T>& a, const Arrived<packed, kind, D>& arrived,
                                              int s, const X& x, D* __restrict__ y, bool add_to_y,
                                              Shared<kind, D>& shared) {
  constexpr int bits = 32;
  const Tile& tile = arrived.tile;
  const int t = static_cast<int>(threadIdx.x);
  D* const products = Shared<kind, D>::in_place ? reinterpret_cast<D*>(arrived.value) : shared.product;
  if (t < shared.nonzeros / bits + 1) shared.begins[t] = 0;
  {
    D product[items];
    load_products(arrived, x, t, product);
#pragma unroll
    for (int u = 0; u < items; ++u)
      if (t + u * threads < tile.nonzeros) products[t + u * threads] = product[u];
  }
  __syncthreads();
  // Columns are needed no more. In their place: which row begins at a nonzero, counted from the tile's first.
  auto* const row_at = reinterpret_cast<std::uint16_t*>(shared.stage[s].col);
  for (int r = t; r < tile.rows; r += threads) {
    const int begin = arrived.begin_of(r);
    if (begin == arrived.row_end[r]) {
      store_row(y, a.row_list, static_cast<offset>(tile.row) + r, D{}, add_to_y);
    } else {
      atomicOr(&shared.begins[begin / bits], 1u << (begin % bits));
      row_at[begin] = static_cast<std::uint16_t>(r);
    }
  }
  __syncthreads();

  sum_evenly<items>(
      t * items, shared.begins, row_at, [&](int k) { return k >= tile.nonzeros; },
      [&](int k) { return products[k]; }, shared.warp_lead, shared.warp_begins,
      [&](int row, D sum) { store_row(y, a.row_list, static_cast<offset>(tile.row) + row, sum, add_to_y); });
}

/// Multiplies the tiles first, first + step, ..., by all threads of the block.
template <bool packed, ValueKind kind, class T, class X, class D>
__device__ __forceinline__ void multiply_tiles(const TilesView<T>& a, lidx first, lidx step, const X& x,
                                               D* __restrict__ y, bool add_to_y, Shared<kind, D>& shared) {
  constexpr int tile_words = sizeof(Tile) / sizeof(uint4);
  const int t = static_cast<int>(threadIdx.x);
  const auto* const words = reinterpret_cast<const uint4*>(a.tile);
  const auto tile_at = [&](int slot) { return reinterpret_cast<uint4*>(&shared.tile[slot]); };

  shared.ring.initialise();
  lidx k = first;
  for (int s = 0; s < stages; ++s)
    if (t < tile_words && k + s * step < a.tiles)
      tile_at(s)[t] = __ldg(words + static_cast<offset>(k + s * step) * tile_words + t);
  __syncthreads();
  if (CopyRing<stages>::starts_copies())
    for (int s = 0; s < stages; ++s) {
      if (k + s * step < a.tiles) fetch(a, shared.tile[s], s, shared);
      shared.ring.end();
    }

  int slot = 0;
  for (int round = 0; k < a.tiles; ++round, k += step) {
    const int s = round % stages;
    const lidx coming = k + stages * step;
    const int coming_slot = slot > 0 ? slot - 1 : stages;  // that of the tile before this one
    if (t < tile_words && coming < a.tiles)
      fetch_word(tile_at(coming_slot) + t, words + static_cast<offset>(coming) * tile_words + t);

    shared.ring.wait(s, static_cast<unsigned>(round / stages % 2));
    const Arrived<packed, kind, D> arrived(shared.tile[slot], shared.stage[s], as_device(a.dictionary));
    if (arrived.tile.lane_bits == shared_evenly)
      multiply_rows(a, arrived, s, x, y, add_to_y, shared);
    else
      multiply_like_rows(a, arrived, x, y, add_to_y, shared.warp_lead);

    words_arrived();
    __syncthreads();  // no thread reads this stage any more
    if (CopyRing<stages>::starts_copies()) {
      if (coming < a.tiles) fetch(a, shared.tile[coming_slot], s, shared);
      shared.ring.end();
    }
    slot = slot < stages ? slot + 1 : 0;
  }
}

/// As many thread blocks as find room for their stages.
template <class T>
inline constexpr int blocks_per_multiprocessor = sizeof(T) > 8 ? 2 : 4;

}  // namespace spmv::streamed
