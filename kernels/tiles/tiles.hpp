// Compressed sparse rows cut into tiles of like many nonzeros, however long the rows are: a tile has whole
// rows, or a piece of one long row. Without packing values and columns are those of CSR as they are; with
// packing, they are stored as short as the matrix allows (as in kernels/packed, by tile), without losing a bit.
// On CUDA the rows' ends are stored as 16-bit numbers, counted from the beginning of their tile.
#pragma once

#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/packed/slice.hpp"

namespace spmv {

inline constexpr int tile_threads = 384;  // CUDA: of the thread block that multiplies a tile
/// Nonzeros of a tile for each of these threads. Odd, so that threads that read theirs one after the other, all at
/// the same time, meet different banks of shared memory.
inline constexpr int most_tile_items = 5;
inline constexpr int tile_rows = 1024;  // most rows of a tile: empty ones cost as well

/// How the threads of a thread block share the rows of a tile.
inline constexpr std::int8_t shared_evenly = -1;  // every thread adds up as many nonzeros as any other

struct alignas(16) Tile {
  offset first = 0;   // nonzero
  offset col_at = 0;  // byte where its columns begin
  lidx row = 0;
  lidx nonzeros = 0;
  lidx col_base = 0;  // least column
  lidx piece = 0;     // number among the pieces of its row
  lidx pieces = 0;
  lidx slot = 0;                          // of its row's first piece in the partial sums
  std::int16_t rows = 0;                  // 0: a piece of `row`
  ColumnKind columns = ColumnKind::full;  // distance16 or full
  std::int8_t lane_bits = shared_evenly;  // or 2^lane_bits threads add up a row
};

template <class T>
struct TilesView {
  using Value = T;
  lidx rows;
  lidx tiles;
  int items;  // of a thread
  const Tile* tile;
  const offset* row_ptr;         // host; nullptr on CUDA
  const std::uint16_t* row_end;  // CUDA: by row, nonzeros of its tile up to its last; nullptr on the host
  const unsigned char* col;
  const unsigned char* value;
  ValueKind values;  // of all nonzeros
  const T* dictionary;
  const lidx* row_list;
  const offset* nonzeros_before;  // host; nullptr on CUDA
  T* partial;                     // CUDA: sum of every piece
  unsigned* arrived;              // CUDA: pieces of a row that are done, by slot; all 0 between products
};

/// Nonzeros of a tile for each thread, 1, 3 or 5: fewer where there would be too few tiles for a GPU.
int tile_items(offset nonzeros);

/// Cuts the rows into tiles of at most `most_nonzeros`. Longer rows are cut into pieces if `cut_rows`. Every
/// tile has the place its columns have when all take 4 bytes. Pure.
std::vector<Tile> make_tiles(const std::vector<offset>& row_ptr, offset most_nonzeros, bool cut_rows);

/// With options.popular_first, rows in descending order of the nonzeros in the column of the same number,
/// else as they are. In a square block, whose columns follow the rows, the elements of x that most rows read
/// then share cache lines.
template <class T>
std::vector<lidx> tiles_row_order(const Csr<T>& block, const FormatOptions& options);

template <class T>
void multiply_host(const TilesView<T>& a, const T* x, T* y, Update update);

/// csr and csr_packed. Products of one operator must not run side by side on CUDA: they share the partial
/// sums.
template <class T>
std::vector<Format<T>> tiles_formats();

}  // namespace spmv
