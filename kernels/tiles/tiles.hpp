// Compressed sparse rows cut into tiles of like many nonzeros, however long the rows are: a tile has whole
// rows, or a piece of one long row. Without packing these are the arrays of CSR as they are; with packing,
// values and columns are stored as short as the matrix allows (as in kernels/packed, by tile), without losing
// a bit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/packed/slice.hpp"

namespace spmv {

inline constexpr int tile_threads = 256;    // CUDA: each takes as many nonzeros of a tile as any other
inline constexpr int most_tile_items = 8;   // of a thread
inline constexpr int tile_rows = 1024;      // most rows of a tile: empty ones cost as well
inline constexpr int tiles_of_a_piece = 4;  // a piece of a long row is as long as so many tiles at most

struct Tile {
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
};

template <class T>
struct TilesView {
  using Value = T;
  lidx rows;
  lidx tiles;
  int items;  // of a thread
  const Tile* tile;
  const offset* row_ptr;
  const unsigned char* col;
  const unsigned char* value;
  ValueKind values;  // of all nonzeros
  const T* dictionary;
  const lidx* row_list;
  const offset* nonzeros_before;  // host; nullptr on CUDA
  T* partial;                     // CUDA: sum of every piece
  unsigned* arrived;              // CUDA: pieces of a row that are done, by slot; all 0 between products
};

/// Nonzeros that a thread takes of a tile, 2, 4 or 8: fewer where there would be too few tiles for a GPU.
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
