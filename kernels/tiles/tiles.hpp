// Compressed sparse rows cut into tiles of about the same number of nonzeros, however long the rows are: a tile has whole
// rows, or a piece of one long row. Without packing these are the arrays of CSR as they are; with packing,
// values and columns are stored as short as the matrix allows (as in kernels/packed, by tile), without losing
// a bit.
//
// On CUDA there are two ways to multiply. Where rows have similar lengths and share elements of x with their neighbours,
// tiles are streamed (streamed_device.cuh): while a thread block multiplies one, the next arrives in shared memory, and
// some neighbouring threads add up a row. In any other block every thread adds up the same number of nonzeros, wherever
// rows begin and end (even_device.cuh).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/packed/slice.hpp"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/multivector.hpp"

namespace spmv {

inline constexpr int tile_threads = 256;   // CUDA: each takes as many nonzeros of a tile as any other
inline constexpr int most_tile_items = 8;  // of a thread
/// The same where there are fewer nonzeros: leaves registers and shared memory for half as many threads again.
inline constexpr int few_tile_items = 4;
inline constexpr int tiles_of_a_piece = 4;  // a piece of a long row is as long as so many tiles at most

/// Nonzeros from one that begins a cache line of columns and of values to the next such one.
inline constexpr int line_nonzeros = 32;

/// What a tile has at most. Rows are limited, too, because empty rows take time as well.
struct TileSize {
  offset nonzeros;
  lidx rows;
};
/// Of tiles of which each thread takes so many nonzeros, 2, 4 or 8. What the ends of few rows leave of a multiprocessor's
/// memory is the cache for x. Pure.
constexpr TileSize even_tile(int items) {
  return {offset{tile_threads} * items, items <= few_tile_items ? 512 : 1024};
}

/// Of streamed tiles: threads of a block, and nonzeros for each. Odd, so that threads that read theirs one after the
/// other, all at the same time, meet different banks of shared memory.
inline constexpr int streamed_threads = 384;
inline constexpr int streamed_items = 5;
inline constexpr TileSize streamed_tile{offset{streamed_threads} * streamed_items, 1024};
/// Tile::lane_bits where rows differ too much in length: every thread adds up the same number of nonzeros.
inline constexpr std::int8_t shared_evenly = -1;

struct alignas(16) Tile {
  offset first = 0;   // nonzero
  offset col_at = 0;  // byte where its columns begin
  lidx row = 0;
  lidx rows = 0;  // 0: a piece of `row`
  lidx nonzeros = 0;
  lidx col_base = 0;  // least column
  lidx piece = 0;     // number among the pieces of its row
  lidx pieces = 0;
  lidx slot = 0;                          // of its row's first piece in the partial sums
  ColumnKind columns = ColumnKind::full;  // distance16 or full
  std::int8_t lane_bits = shared_evenly;  // streamed: 2^lane_bits threads add up a row, or shared_evenly
};

template <class T>
struct TilesView {
  using Value = T;
  lidx rows;
  lidx tiles;
  int items;  // of a thread
  const Tile* tile;
  const offset* row_ptr;  // host; nullptr on CUDA
  const std::uint16_t*
      row_end;  // CUDA: of every row, nonzeros of its tile up to its end; nullptr on the host
  const unsigned char* col;
  const unsigned char* value;
  bool streamed;     // CUDA: tiles are those of make_streamed_tiles()
  bool packed;       // columns may be short
  ValueKind values;  // of all nonzeros
  const T* dictionary;
  const lidx* row_list;
  const offset* nonzeros_before;  // host; nullptr on CUDA
  T* partial;                     // CUDA: sum of every piece, and room for most_columns of them
  unsigned* arrived;              // CUDA: pieces of a row that are done, by slot; all 0 between products
  float kept_share = 0;           // CUDA: see read_once.hpp
};

template <class T>
inline constexpr bool fuses_with_exchange<TilesView<T>> = true;

/// Of the block's tiles that have whole rows. Pure.
template <class T>
TileSize tile_size(const TilesView<T>& a) {
  return a.streamed ? streamed_tile : even_tile(a.items);
}

/// Boundary tiles may be of either kind, if they fit those that multiply the interior. Half of a GPU multiplies them, so many
/// of them are faster in a kernel of their own. Pure.
template <class T>
bool can_fuse(const TilesView<T>& interior, const TilesView<T>& boundary) {
  constexpr lidx interior_of_boundary = 4;
  const bool few = boundary.tiles <= 1 || interior.tiles / interior_of_boundary >= boundary.tiles;
  const bool fit = interior.streamed || tile_size(boundary).nonzeros <=
                                            even_tile(std::max(interior.items, few_tile_items)).nonzeros;
  return few && fit;
}

/// Nonzeros that a thread takes of a tile, 2, 4 or 8: fewer where there would be too few tiles for a GPU, and where there are
/// so many nonzeros that x is probably far away: then more threads have to wait for x at the same time. Pure.
int tile_items(offset nonzeros);

/// Cuts the rows into tiles of at most this size. Longer rows are cut into pieces if `cut_rows`; all pieces but a row's
/// first begin where a cache line does. Every tile has the place its columns have when all take 4 bytes. Pure.
std::vector<Tile> make_tiles(const std::vector<offset>& row_ptr, TileSize most, bool cut_rows);

/// Whether slices read more different sectors of x than halfway from the fewest, which neighbouring elements need, to one
/// for each nonzero, in a sample of slices: a random or a shuffled pattern. Such a block is faster in even tiles: each thread
/// block waits for its own tile alone, and more of them wait at the same time. Pure.
template <class T>
bool reads_x_far_away(const Csr<T>& block);

/// The tiles that are streamed: whole rows. Empty where even tiles are faster: for few nonzeros, for rows longer than a
/// tile, and where tiles of rows of different lengths, or of a single row, have more than a tenth of the nonzeros. Pure.
std::vector<Tile> make_streamed_tiles(const std::vector<offset>& row_ptr);

/// The ends of all rows, each counted from the beginning of its tile; 0 for those that are cut into pieces. Pure.
std::vector<std::uint16_t> make_row_ends(const std::vector<offset>& row_ptr, const std::vector<Tile>& tiles);

/// With options.popular_first, rows in descending order of the nonzeros in the column of the same number,
/// else as they are. In a square block, whose columns follow the rows, the elements of x that most rows read
/// then share cache lines.
template <class T>
std::vector<lidx> tiles_row_order(const Csr<T>& block, const FormatOptions& options);

template <class T>
void multiply_host(const TilesView<T>& a, const T* x, T* y, Update update);

template <class T>
inline constexpr bool multiplies_columns<TilesView<T>> = true;
template <class T>
void multiply_columns_host(const TilesView<T>& a, const T* x, T* y, int k, Update update);

/// csr and csr_packed. Products of one operator must not run side by side on CUDA: they share the partial
/// sums.
template <class T>
std::vector<Format<T>> tiles_formats();

}  // namespace spmv
