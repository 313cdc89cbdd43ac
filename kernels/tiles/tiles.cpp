#include "kernels/tiles/tiles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/parts/column_groups.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/parts/launch/build_step.hpp"
#include "kernels/parts/slice_sample.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tiles/pack.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

/// An array of the block where the device reads it; it must live as long. Blocks until it is there.
template <class Element>
class DeviceCopy {
 public:
  DeviceCopy(const std::vector<Element>& array, const std::shared_ptr<Backend>& backend)
      : arrays_(backend), data_(backend->runs_host_code() ? array.data() : arrays_.add(array)) {}
  const Element* data() const { return data_; }

 private:
  DeviceArrays arrays_;
  const Element* data_;
};

/// Whole units of device memory, zero, of at least so many bytes.
unsigned char* allocate_units(DeviceArrays& arrays, Queue& queue, std::size_t bytes) {
  constexpr std::size_t unit = 16;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  auto* const at = arrays.allocate<unsigned char>(whole);
  queue.fill(at, 0, whole);
  queue.synchronize();
  return at;
}

/// The shortest kind that holds all values.
template <class T>
ValueKind shortest_values(const DeviceCopy<T>& value, offset count, const std::vector<T>& dictionary,
                          Queue& queue, const std::shared_ptr<Backend>& backend) {
  if (!dictionary.empty()) return dictionary.size() == 1 ? ValueKind::constant : ValueKind::dictionary;
  DeviceArrays arrays(backend);
  auto* const misfit = arrays.allocate<unsigned>(1);
  queue.fill(misfit, 0, sizeof(unsigned));
  run_step(queue, FindMisfit<T>{count, value.data(), misfit}, [](const FindMisfit<T>& step) {
    bool found = false;
#pragma omp parallel for schedule(static) reduction(|| : found)
    for (offset k = 0; k < step.count; ++k) found = found || !fits_half(step.value[k]);
    *step.misfit = found ? 1 : 0;
  });
  unsigned found = 0;
  download(*backend, &found, misfit, 1);
  return found == 0 ? ValueKind::half : ValueKind::full;
}

/// Packs all values into memory of `arrays`.
template <class T>
void pack_values(const std::vector<T>& value, TilesView<T>& view, DeviceArrays& arrays,
                 const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  const auto count = static_cast<offset>(value.size());
  const DeviceCopy<T> source(value, backend);
  const std::vector<T> dictionary = find_dictionary(value, false, source.data(), count, backend);
  view.dictionary = arrays.add(dictionary);
  view.values = shortest_values(source, count, dictionary, *queue, backend);
  unsigned char* const to = allocate_units(arrays, *queue, value.size() * packed_bytes<T>(view.values));
  view.value = to;
  run_step(*queue,
           PackValues<T>{count, view.values, view.dictionary, static_cast<int>(dictionary.size()),
                         source.data(), to},
           [](const PackValues<T>& step) {
#pragma omp parallel for schedule(static)
             for (offset k = 0; k < step.count; ++k) pack_value(step, k);
           });
}

/// Gives every tile the shortest columns, and these their place. Returns the bytes of all.
offset choose_columns(std::vector<Tile>& tiles, const DeviceCopy<lidx>& col,
                      const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  DeviceArrays arrays(backend);
  Tile* const device_tiles = arrays.allocate<Tile>(tiles.size());
  queue->copy(device_tiles, tiles.data(), tiles.size() * sizeof(Tile), Copy::to_device);
  run_step(*queue, ChooseColumns{static_cast<lidx>(tiles.size()), col.data(), device_tiles},
           [](const ChooseColumns& step) {
#pragma omp parallel for schedule(dynamic, 64)
             for (lidx t = 0; t < step.tiles; ++t) {
               Tile& tile = step.tile[t];
               if (tile.nonzeros == 0) continue;
               const lidx* const first = step.col + tile.first;
               const auto [low, high] = std::minmax_element(first, first + tile.nonzeros);
               set_columns(tile, *low, *high);
             }
           });
  download(*backend, tiles.data(), device_tiles, tiles.size());
  offset at = 0;
  for (Tile& tile : tiles) {
    tile.col_at = at;
    const offset bytes = tile.nonzeros * column_bytes(tile.columns);
    at += (bytes + 15) / 16 * 16;
  }
  return at;
}

/// Packs all columns into `bytes` bytes of `arrays`, as the tiles on the device say. Returns where.
unsigned char* pack_columns(const DeviceCopy<lidx>& col, lidx tiles, const Tile* tile, offset bytes,
                            DeviceArrays& arrays, const std::shared_ptr<Backend>& backend) {
  const auto queue = backend->make_queue(Priority::normal);
  unsigned char* const to = allocate_units(arrays, *queue, static_cast<std::size_t>(bytes));
  run_step(*queue, PackColumns{tiles, tile, col.data(), to}, [](const PackColumns& step) {
#pragma omp parallel for schedule(dynamic, 64)
    for (lidx t = 0; t < step.tiles; ++t)
      for (lidx k = 0; k < step.tile[t].nonzeros; ++k) pack_column(step, step.tile[t], k);
  });
  return to;
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
  const bool streamed = !tiles.empty() && !reads_x_far_away(block);
  if (!streamed) tiles = make_tiles(block.row_ptr, even_tile(items), !on_host);
  const double arrays_bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) +
                              static_cast<double>(tiles.size()) * (sizeof(Tile) + 16) +
                              static_cast<double>(row_list.size()) * sizeof(lidx);
  // Values and columns are copied to a GPU one after the other, to be packed there.
  const double copies = packed && !on_host ? static_cast<double>(block.nonzeros()) * sizeof(T) : 0;
  require_memory(*backend, name, {arrays_bytes + copies, 0}, "spread the matrix over more ranks");

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
    pack_values(block.value, view, arrays, backend);
    const DeviceCopy<lidx> col(block.col, backend);
    const offset bytes = choose_columns(tiles, col, backend);
    view.tile = arrays.add(tiles);
    view.col = pack_columns(col, view.tiles, view.tile, bytes, arrays, backend);
  } else {
    view.value = add_bytes(arrays, block.value, streamed);
    view.col = add_bytes(arrays, block.col, streamed);
    view.tile = arrays.add(tiles);
  }
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

/// Threads for a row, as the power of two, where rows are so much alike that no thread has more than five times as
/// much to do as when all had the same; else shared_evenly.
std::int8_t choose_lane_bits(const Tile& tile, offset longest) {
  if (tile.rows == 1) return shared_evenly;  // the next power of two would leave a third of the threads idle
  int bits = 0;
  while ((offset{tile.rows} << (bits + 1)) <= streamed_threads) ++bits;
  const offset one_thread = (longest + (offset{1} << bits) - 1) >> bits;
  const offset all_alike = (tile.nonzeros + streamed_threads - 1) / streamed_threads;
  constexpr offset most_times = 5;
  return one_thread <= most_times * all_alike ? static_cast<std::int8_t>(bits) : shared_evenly;
}

}  // namespace

int tile_items(offset nonzeros) {
  constexpr offset multiprocessors = 132;  // of an H100
  constexpr offset tiles_at_a_time = 6;    // that one of them holds of few items
  constexpr offset many = 6'000'000;
  const auto are_enough = [&](offset tiles, int items) {
    return nonzeros >= tiles * multiprocessors * tile_threads * items;
  };
  if (nonzeros < many && are_enough(tiles_at_a_time, most_tile_items)) return most_tile_items;
  return are_enough(1, few_tile_items) ? few_tile_items : 2;
}

std::vector<Tile> make_tiles(const std::vector<offset>& row_ptr, TileSize most, bool cut_rows) {
  std::vector<Tile> tiles;
  const auto rows = static_cast<lidx>(row_ptr.size() - 1);
  lidx slots = 0;
  for (lidx row = 0; row < rows;) {
    Tile tile;
    tile.row = row;
    tile.first = row_ptr[row];
    const offset length = row_ptr[row + 1] - row_ptr[row];
    if (length > most.nonzeros && cut_rows) {
      const offset piece = tiles_of_a_piece * most.nonzeros;
      offset room = piece - tile.first % line_nonzeros;  // of the first one
      tile.pieces = static_cast<lidx>(1 + (length - room + piece - 1) / piece);
      tile.slot = slots;
      for (tile.piece = 0; tile.piece < tile.pieces; ++tile.piece) {
        tile.nonzeros = static_cast<lidx>(std::min(room, row_ptr[row + 1] - tile.first));
        tiles.push_back(tile);
        tile.first += tile.nonzeros;
        room = piece;
      }
      slots += tile.pieces;
      ++row;
      continue;
    }
    const auto last = row_ptr.begin() + std::min(offset{row} + most.rows, offset{rows});
    const auto too_far = std::upper_bound(row_ptr.begin() + row + 2, last + 1, tile.first + most.nonzeros);
    tile.rows = static_cast<lidx>(too_far - 1 - (row_ptr.begin() + row));
    row += tile.rows;
    tile.nonzeros = static_cast<lidx>(row_ptr[row] - tile.first);
    tiles.push_back(tile);
  }
  for (Tile& tile : tiles) tile.col_at = tile.first * static_cast<offset>(sizeof(lidx));
  return tiles;
}

std::vector<Tile> make_streamed_tiles(const std::vector<offset>& row_ptr) {
  constexpr offset nonzeros = streamed_tile.nonzeros;
  constexpr offset enough_tiles = 264;  // two for each multiprocessor of an H100
  constexpr double most_unlike = 0.1;
  if (row_ptr.back() < enough_tiles * nonzeros) return {};
  std::vector<Tile> tiles = make_tiles(row_ptr, streamed_tile, false);
  offset unlike = 0;
  bool whole = true;
#pragma omp parallel for schedule(static) reduction(+ : unlike) reduction(&& : whole)
  for (Tile& tile : tiles) {
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

template <class T>
bool reads_x_far_away(const Csr<T>& block) {
  constexpr offset most_slices = 64, most_nonzeros = 1 << 17;  // to look at
  // Sectors of each nonzero: the fewest, where lanes load neighbouring elements, and halfway to one.
  constexpr double fewest = static_cast<double>(sizeof(T)) / sector_bytes, mostly = (fewest + 1) / 2;
  const offset slices = (offset{block.rows} + slice_rows - 1) / slice_rows;
  const offset affordable = slices * most_nonzeros / std::max<offset>(block.nonzeros(), 1);
  GroupScratch scratch;
  offset nonzeros = 0, sectors = 0;
  const SliceSample<T> sample(block, std::clamp<offset>(affordable, 1, most_slices));
  for (offset number = 0; number < sample.count(); ++number) {
    const offset first = sample.first_row(number), last = sample.end_of(first);
    nonzeros += block.row_ptr[last] - block.row_ptr[first];
    sectors += count_sectors(block, first, last, scratch);
  }
  return static_cast<double>(sectors) > mostly * static_cast<double>(nonzeros);
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
                .sorts = Sorts::by_popularity,
                .by_row = true,
                .as_csr_on_host = true,
                .cached_speed = 0.6},
       .fuses = true},
      {.name = "csr_packed",
       .summary = "CSR in tiles, columns as short distances, values by number or in half their size",
       .listed_at = 20,
       .row_order = tiles_row_order<T>,
       .make = make_packed<T>,
       .cost = packed_cost,
       .pace = {.iteration_ps = 170,
                .chain_ns = 0,
                .host_iteration_ns = 28,
                .build_ns = 0.6,
                .host_build_ns = 8,
                .sorts = Sorts::by_popularity,
                .by_row = true,
                .cached_speed = 0.6},
       .fuses = true,
       .keeps_neighbourhood = true},
  };
}

SPMV_INSTANTIATE(reads_x_far_away);
SPMV_INSTANTIATE(tiles_row_order);
SPMV_INSTANTIATE(tiles_formats);

}  // namespace spmv
