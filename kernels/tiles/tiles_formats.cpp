// csr and csr_packed: how they are built, and their rows of the table.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/packed/dictionary.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/parts/launch/build_step.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tiles/pack.hpp"
#include "kernels/tiles/tiles.hpp"

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

/// Everything that says how the rows are cut into tiles.
struct Cut {
  std::vector<Tile> tiles;
  int items;
  bool streamed = false;
};

template <class T>
Cut cut_rows(const Csr<T>& block, bool on_host) {
  Cut cut{on_host ? std::vector<Tile>{} : make_streamed_tiles(block.row_ptr), tile_items(block.nonzeros())};
  cut.streamed = !cut.tiles.empty() && !reads_x_far_away(block);
  if (!cut.streamed) cut.tiles = make_tiles(block.row_ptr, even_tile(cut.items), !on_host);
  return cut;
}

/// Throws Error(memory) unless the tiles fit.
template <class T>
void require_memory_of_tiles(const std::string& name, bool packed, const Cut& cut,
                             const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const double bytes = csr_bytes(block.rows, block.nonzeros(), sizeof(T)) +
                       static_cast<double>(cut.tiles.size()) * (sizeof(Tile) + 16) +
                       static_cast<double>(request.row_list.size()) * sizeof(lidx);
  // Values and columns are copied to a GPU one after the other, to be packed there.
  const bool copies = packed && !request.backend->runs_host_code();
  const double copy_bytes = copies ? static_cast<double>(block.nonzeros()) * sizeof(T) : 0;
  require_memory(*request.backend, name, {bytes + copy_bytes, 0}, "spread the matrix over more ranks");
}

/// Columns, values and tiles.
template <class T>
void add_elements(const Csr<T>& block, std::vector<Tile>& tiles, TilesView<T>& view, DeviceArrays& arrays,
                  const std::shared_ptr<Backend>& backend) {
  view.values = ValueKind::full;
  if (!view.packed) {
    view.value = add_bytes(arrays, block.value, view.streamed);
    view.col = add_bytes(arrays, block.col, view.streamed);
    view.tile = arrays.add(tiles);
    return;
  }
  pack_values(block.value, view, arrays, backend);
  const DeviceCopy<lidx> col(block.col, backend);
  const offset bytes = choose_columns(tiles, col, backend);
  view.tile = arrays.add(tiles);
  view.col = pack_columns(col, view.tiles, view.tile, bytes, arrays, backend);
}

/// Host: nonzeros before every tile.
std::vector<offset> nonzeros_before(const std::vector<Tile>& tiles) {
  std::vector<offset> before{0};
  for (const Tile& tile : tiles) before.push_back(before.back() + tile.nonzeros);
  return before;
}

/// CUDA: what the pieces of long rows leave to each other. Returns the bytes that a product of one vector does not use.
template <class T>
double add_workspace(const std::vector<Tile>& tiles, TilesView<T>& view, DeviceArrays& arrays,
                     Backend& backend) {
  const auto slots = static_cast<std::size_t>(
      std::count_if(tiles.begin(), tiles.end(), [](const Tile& tile) { return tile.pieces > 0; }));
  view.partial = arrays.template allocate<T>(slots * most_columns);
  view.arrived = arrays.template allocate<unsigned>(slots);
  const auto queue = backend.make_queue(Priority::normal);
  queue->fill(view.arrived, 0, slots * sizeof(unsigned));
  queue->synchronize();
  return static_cast<double>(slots * (most_columns - 1) * sizeof(T));
}

/// The operator, packed or as it is. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make(const std::string& name, bool packed, const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const auto& backend = request.backend;
  require_row_list(block.rows, request.row_list);
  longest_row(block);
  const bool on_host = backend->runs_host_code();
  Cut cut = cut_rows(block, on_host);
  require_memory_of_tiles(name, packed, cut, request);

  DeviceArrays arrays(backend);
  TilesView<T> view{};
  view.rows = block.rows;
  view.tiles = static_cast<lidx>(cut.tiles.size());
  view.items = cut.items;
  view.packed = packed;
  view.streamed = cut.streamed;
  if (on_host)
    view.row_ptr = arrays.add(block.row_ptr);
  else
    view.row_end = arrays.add_whole_units(make_row_ends(block.row_ptr, cut.tiles));
  add_elements(block, cut.tiles, view, arrays, backend);
  view.row_list = arrays.add_row_list(request.row_list);
  double unused_bytes = 0;
  if (on_host)
    view.nonzeros_before = arrays.add(nonzeros_before(cut.tiles));
  else
    unused_bytes = add_workspace(cut.tiles, view, arrays, *backend);
  return make_format_operator(view, std::move(arrays), block, block.nonzeros(), unused_bytes);
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_plain(const BuildRequest<T>& request) {
  // A core goes through its rows one after the other: tiles would only split them less evenly.
  return request.backend->runs_host_code() ? make_plain_rows("csr", request) : make("csr", false, request);
}

}  // namespace

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
       .fuses = true,
       .columns = true},
      {.name = "csr_packed",
       .summary = "CSR in tiles, columns as short distances, values by number or in half their size",
       .listed_at = 20,
       .row_order = tiles_row_order<T>,
       .make = [](const BuildRequest<T>& request) { return make("csr_packed", true, request); },
       .fuses = true,
       .columns = true,
       .keeps_neighbourhood = true},
  };
}

SPMV_INSTANTIATE(tiles_row_order);
SPMV_INSTANTIATE(tiles_formats);

}  // namespace spmv
