#include "kernels/tiles/tiles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

template <class T>
ValueKind shortest_values(const std::vector<T>& value, const std::vector<T>& dictionary) {
  if (!dictionary.empty()) return dictionary.size() == 1 ? ValueKind::constant : ValueKind::dictionary;
  bool half = true;
#pragma omp parallel for schedule(static) reduction(&& : half)
  for (std::size_t k = 0; k < value.size(); ++k) half = half && fits_half(value[k]);
  return half ? ValueKind::half : ValueKind::full;
}

template <class T>
std::vector<unsigned char> pack_values(const std::vector<T>& value, ValueKind kind,
                                       const std::vector<T>& dictionary) {
  using Half = typename HalfOf<T>::Type;
  PackSource<T> source{};
  source.dictionary = dictionary.data();
  source.dictionary_size = static_cast<int>(dictionary.size());
  const std::size_t each = kind == ValueKind::constant     ? 0
                           : kind == ValueKind::dictionary ? 1
                           : kind == ValueKind::half       ? sizeof(Half)
                                                           : sizeof(T);
  std::vector<unsigned char> stream(value.size() * each);
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < value.size(); ++k) {
    if (kind == ValueKind::dictionary)
      stream[k] = static_cast<unsigned char>(dictionary_number(source, value[k]));
    else if (kind == ValueKind::half)
      to_half(value[k], reinterpret_cast<Half*>(stream.data())[k]);
    else if (kind == ValueKind::full)
      reinterpret_cast<T*>(stream.data())[k] = value[k];
  }
  return stream;
}

/// Gives every tile the shortest columns and their place, and packs them.
std::vector<unsigned char> pack_columns(const std::vector<lidx>& col, std::vector<Tile>& tiles) {
  const auto count = static_cast<offset>(tiles.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (offset t = 0; t < count; ++t) {
    Tile& tile = tiles[t];
    if (tile.nonzeros == 0) continue;
    const auto [low, high] =
        std::minmax_element(col.begin() + tile.first, col.begin() + tile.first + tile.nonzeros);
    tile.col_base = *low;
    tile.columns = *high - *low <= most_distance16 ? ColumnKind::distance16 : ColumnKind::full;
  }
  offset at = 0;
  for (Tile& tile : tiles) {
    tile.col_at = at;
    const offset bytes = tile.nonzeros * column_bytes(tile.columns);
    at += (bytes + 15) / 16 * 16;
  }
  std::vector<unsigned char> stream(static_cast<std::size_t>(at));
#pragma omp parallel for schedule(dynamic, 64)
  for (offset t = 0; t < count; ++t) {
    const Tile& tile = tiles[t];
    unsigned char* const to = stream.data() + tile.col_at;
    for (lidx k = 0; k < tile.nonzeros; ++k) {
      if (tile.columns == ColumnKind::distance16)
        reinterpret_cast<std::uint16_t*>(to)[k] =
            static_cast<std::uint16_t>(col[tile.first + k] - tile.col_base);
      else
        reinterpret_cast<lidx*>(to)[k] = col[tile.first + k];
    }
  }
  return stream;
}

/// Whole units of the array where tiles are streamed, which copies units.
template <class Element>
const unsigned char* add_bytes(DeviceArrays& arrays, const std::vector<Element>& array, bool streamed) {
  return reinterpret_cast<const unsigned char*>(streamed ? arrays.add_whole_units(array) : arrays.add(array));
}

/// The operator on `block`, packed or as it is. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const std::string& name, bool packed, const Csr<T>& block,
                                       const std::vector<lidx>& row_list,
                                       const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  longest_row(block);
  const bool on_host = backend->runs_host_code();
  const int items = tile_items(block.nonzeros());
  std::vector<Tile> tiles = on_host ? std::vector<Tile>{} : make_streamed_tiles(block.row_ptr);
  const bool streamed = !tiles.empty();
  if (!streamed) tiles = make_tiles(block.row_ptr, offset{tile_threads} * items, !on_host);
  const double arrays_bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) +
                              static_cast<double>(tiles.size()) * (sizeof(Tile) + 16) +
                              static_cast<double>(row_list.size()) * sizeof(lidx);
  require_memory(*backend, name, {arrays_bytes, packed ? arrays_bytes : 0},
                 "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  TilesView<T> view{};
  view.rows = block.rows;
  view.tiles = static_cast<lidx>(tiles.size());
  view.items = items;
  view.packed = packed;
  view.streamed = streamed;
  if (on_host)
    view.row_ptr = arrays.add(block.row_ptr);
  else
    view.row_end = arrays.add_whole_units(make_row_ends(block.row_ptr, tiles));
  view.values = ValueKind::full;
  if (packed) {
    const std::vector<T> dictionary = make_dictionary(block.value);
    view.values = shortest_values(block.value, dictionary);
    view.dictionary = arrays.add(dictionary);
    view.value = add_bytes(arrays, pack_values(block.value, view.values, dictionary), streamed);
    view.col = add_bytes(arrays, pack_columns(block.col, tiles), streamed);
  } else {
    view.value = add_bytes(arrays, block.value, streamed);
    view.col = add_bytes(arrays, block.col, streamed);
  }
  view.tile = arrays.add(tiles);
  view.row_list = arrays.add_row_list(row_list);
  if (on_host) {
    std::vector<offset> before{0};
    for (const Tile& tile : tiles) before.push_back(before.back() + tile.nonzeros);
    view.nonzeros_before = arrays.add(before);
  } else {
    std::size_t slots = 0;
    for (const Tile& tile : tiles) slots += tile.pieces > 0 ? 1 : 0;
    view.partial = arrays.template allocate<T>(slots);
    view.arrived = arrays.template allocate<unsigned>(slots);
    const auto queue = backend->make_queue(Priority::normal);
    queue->fill(view.arrived, 0, slots * sizeof(unsigned));
    queue->synchronize();
  }
  return make_format_operator(view, std::move(arrays), block, block.nonzeros(), 0.0);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_plain(const Csr<T>& block, const std::vector<lidx>& row_list,
                                             const FormatOptions& options,
                                             const std::shared_ptr<Backend>& backend) {
  // A core goes through its rows one after the other: tiles would only split them less evenly.
  if (backend->runs_host_code()) return make_plain_rows("csr", block, row_list, options, backend);
  return make("csr", false, block, row_list, backend);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_packed(const Csr<T>& block, const std::vector<lidx>& row_list,
                                              const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  return make("csr_packed", true, block, row_list, backend);
}

/// Of `element_bytes` per nonzero, beside what a row and a tile need.
Cost cost(const Analysis& a, double element_bytes) {
  const auto nonzeros = static_cast<double>(a.nonzeros);
  const double bytes = nonzeros * element_bytes + (a.rows + 1.0) * sizeof(offset) +
                       nonzeros / (tile_threads * tile_items(a.nonzeros)) * sizeof(Tile);
  constexpr double chain = most_tile_items;
  return {bytes, bytes + vector_bytes(a), nonzeros / warp_size, chain};
}

Cost plain_cost(const Analysis& a, const FormatOptions&) {
  return cost(a, static_cast<double>(a.value_bytes + sizeof(lidx)));
}

Cost packed_cost(const Analysis& a, const FormatOptions&) {
  const auto full = static_cast<double>(a.value_bytes);
  const double value = a.distinct_values == 1                        ? 0
                       : a.distinct_values <= most_dictionary_values ? 1
                       : a.float_share == 1                          ? full / 2
                                                                     : full;
  const double near = a.cols - 1 <= most_distance16 ? 1 : a.distance16_share;
  const double col = near * static_cast<double>(column_bytes(ColumnKind::distance16)) +
                     (1 - near) * static_cast<double>(column_bytes(ColumnKind::full));
  return cost(a, value + col);
}

}  // namespace

int tile_items(offset nonzeros) {
  constexpr offset enough_tiles = 132;  // one for each multiprocessor of an H100
  int items = most_tile_items;
  while (items > 2 && nonzeros < enough_tiles * tile_threads * items) items /= 2;
  return items;
}

std::vector<Tile> make_tiles(const std::vector<offset>& row_ptr, offset most_nonzeros, bool cut_rows) {
  std::vector<Tile> tiles;
  const auto rows = static_cast<lidx>(row_ptr.size() - 1);
  lidx slots = 0;
  for (lidx row = 0; row < rows;) {
    Tile tile;
    tile.row = row;
    tile.first = row_ptr[row];
    const offset length = row_ptr[row + 1] - row_ptr[row];
    if (length > most_nonzeros && cut_rows) {
      const offset most = tiles_of_a_piece * most_nonzeros;
      tile.pieces = static_cast<lidx>((length + most - 1) / most);
      tile.slot = slots;
      for (tile.piece = 0; tile.piece < tile.pieces; ++tile.piece) {
        tile.nonzeros = static_cast<lidx>(std::min(most, row_ptr[row + 1] - tile.first));
        tiles.push_back(tile);
        tile.first += tile.nonzeros;
      }
      slots += tile.pieces;
      ++row;
      continue;
    }
    const auto last = row_ptr.begin() + std::min(offset{row} + tile_rows, offset{rows});
    const auto too_far = std::upper_bound(row_ptr.begin() + row + 2, last + 1, tile.first + most_nonzeros);
    tile.rows = static_cast<lidx>(too_far - 1 - (row_ptr.begin() + row));
    row += tile.rows;
    tile.nonzeros = static_cast<lidx>(row_ptr[row] - tile.first);
    tiles.push_back(tile);
  }
  for (Tile& tile : tiles) tile.col_at = tile.first * static_cast<offset>(sizeof(lidx));
  return tiles;
}

namespace {

/// Threads for a row, as the power of two, where rows are so much alike that no thread has more than three times as
/// much to do as when all had the same; else shared_evenly.
std::int8_t choose_lane_bits(const Tile& tile, offset longest) {
  constexpr int most_bits = 5;  // a warp
  int bits = 0;
  while (bits < most_bits && (offset{tile.rows} << (bits + 1)) <= streamed_threads) ++bits;
  const offset one_thread = (longest + (offset{1} << bits) - 1) >> bits;
  const offset all_alike = (tile.nonzeros + streamed_threads - 1) / streamed_threads;
  return one_thread <= 3 * all_alike ? static_cast<std::int8_t>(bits) : shared_evenly;
}

}  // namespace

std::vector<Tile> make_streamed_tiles(const std::vector<offset>& row_ptr) {
  constexpr offset nonzeros = offset{streamed_threads} * streamed_items;
  constexpr offset enough_tiles = 264;  // two for each multiprocessor of an H100
  constexpr double most_unlike = 0.1;
  if (row_ptr.back() < enough_tiles * nonzeros) return {};
  std::vector<Tile> tiles = make_tiles(row_ptr, nonzeros, false);
  offset unlike = 0;
  bool whole = true;
#pragma omp parallel for schedule(static) reduction(+ : unlike) reduction(&& : whole)
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    Tile& tile = tiles[t];
    whole = whole && tile.nonzeros <= nonzeros;
    offset longest = 0;
    for (offset row = tile.row; row < offset{tile.row} + tile.rows; ++row)
      longest = std::max(longest, row_ptr[row + 1] - row_ptr[row]);
    tile.lane_bits = choose_lane_bits(tile, longest);
    if (tile.lane_bits == shared_evenly) unlike += tile.nonzeros;
  }
  if (!whole || static_cast<double>(unlike) > most_unlike * static_cast<double>(row_ptr.back())) return {};
  return tiles;
}

std::vector<std::uint16_t> make_row_ends(const std::vector<offset>& row_ptr, const std::vector<Tile>& tiles) {
  std::vector<std::uint16_t> ends(row_ptr.size() - 1, 0);
  const auto count = static_cast<offset>(tiles.size());
#pragma omp parallel for schedule(static)
  for (offset t = 0; t < count; ++t) {
    const Tile& tile = tiles[t];
    for (offset row = tile.row; row < offset{tile.row} + tile.rows; ++row)
      ends[row] = static_cast<std::uint16_t>(row_ptr[row + 1] - tile.first);
  }
  return ends;
}

template <class T>
std::vector<lidx> tiles_row_order(const Csr<T>& block, const FormatOptions& options) {
  if (!options.popular_first) return {};
  const lidx counted = std::min(block.rows, block.cols);
  std::vector<lidx> popularity(static_cast<std::size_t>(block.rows), 0);
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < block.nonzeros(); ++k) {
    if (block.col[k] >= counted) continue;
#pragma omp atomic
    ++popularity[block.col[k]];
  }
  std::vector<lidx> order(static_cast<std::size_t>(block.rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&popularity](lidx a, lidx b) { return popularity[a] > popularity[b]; });
  return order;
}

template <class T>
std::vector<Format<T>> tiles_formats() {
  return {
      {.name = "csr",
       .summary = "compressed sparse rows, in tiles of like many nonzeros: any row lengths",
       .listed_at = 10,
       .row_order = tiles_row_order<T>,
       .make = make_plain<T>,
       .cost = plain_cost,
       .pace = {.iteration_ps = 170,
                .chain_ns = 0,
                .host_iteration_ns = 28,
                .build_ns = 0.5,
                .host_build_ns = 2.3,
                .sorts = Sorts::by_popularity}},
      {.name = "csr_packed",
       .summary = "CSR in tiles, columns as short distances, values by number or in half their size",
       .listed_at = 20,
       .row_order = tiles_row_order<T>,
       .make = make_packed<T>,
       .cost = packed_cost,
       .pace = {.iteration_ps = 170,
                .chain_ns = 0,
                .host_iteration_ns = 28,
                .build_ns = 6,
                .host_build_ns = 8,
                .sorts = Sorts::by_popularity},
       .keeps_neighbourhood = true},
  };
}

SPMV_INSTANTIATE(tiles_row_order);
SPMV_INSTANTIATE(tiles_formats);

}  // namespace spmv
