// How rows are cut into tiles.
#include "kernels/tiles/tiles.hpp"

#include <algorithm>

#include "core/value_types.hpp"
#include "kernels/parts/slice_sample.hpp"

namespace spmv {
namespace {

/// The power of two of the threads for a row, where rows are so similar that no thread has more than five times its even share
/// of the work; else shared_evenly.
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

SPMV_INSTANTIATE(reads_x_far_away);

}  // namespace spmv
