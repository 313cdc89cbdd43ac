// Compressed sparse rows cut into tiles of like many nonzeros, however long the rows are: a tile has whole
// rows, or a piece of one long row. Without packing these are the arrays of CSR as they are; with packing,
// values and columns are stored as short as the matrix allows (as in kernels/packed, by tile), without losing
// a bit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/packed/packed.hpp"

namespace spmv {

inline constexpr int tile_nonzeros = 2048;       // most of a tile of whole rows
inline constexpr int tile_rows = 1024;           // most rows of a tile: empty ones cost as well
inline constexpr int piece_nonzeros = 4 * 2048;  // most of a tile that is a piece of a row

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
  const Tile* tile;
  const offset* row_ptr;
  const unsigned char* col;
  const unsigned char* value;
  ValueKind values;  // of all nonzeros
  const T* dictionary;
  const lidx* row_list;
  const offset* tile_nonzeros_before;  // host; nullptr on CUDA
  T* partial;                          // CUDA: sum of every piece
  unsigned* arrived;                   // CUDA: pieces of a row that are done, by slot; all 0 between products
};

/// Cuts the rows. Rows longer than a tile are cut into pieces if `cut_rows`. Every tile has the place its
/// columns have when all take 4 bytes. Pure.
std::vector<Tile> make_tiles(const std::vector<offset>& row_ptr, bool cut_rows);

/// The operator on `block`, packed or as it is. Products of one operator must not run side by side on CUDA:
/// they share the partial sums. Throws as Format::make.
template <class T>
std::unique_ptr<LocalOperator<T>> make_tiled(const std::string& name, bool packed, const Csr<T>& block,
                                             const std::vector<lidx>& row_list,
                                             const std::shared_ptr<Backend>& backend);

template <class T>
void multiply_host(const TilesView<T>& a, const T* x, T* y, Update update);

}  // namespace spmv
