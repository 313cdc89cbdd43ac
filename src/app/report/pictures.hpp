// The data of a run's figures: counts on grids and in classes, small for any matrix and any number of ranks. Plain data,
// complete on rank 0.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "dist/partition/part_shares.hpp"

namespace spmv {

/// The pattern of a matrix on a grid of side * side cells, row by row; a cell stands for equally many rows and columns.
struct SpyGrid {
  int side = 0;
  std::vector<gidx> nonzeros;  // of those rows that were looked at
  std::vector<int>
      rank;  // that owns most of the cell's nonzeros, the lowest of several; -1: the cell has none
};

/// So many rows have a length from `from` to `to`, both of them included.
struct RowLengthClass {
  gidx from = 0;
  gidx to = 0;
  gidx rows = 0;
};

struct Pictures {
  /// Cells along a side of the spy plots, classes of row lengths, blocks of ranks: no more than this.
  static constexpr int most_cells = 64;
  /// Ranks, or blocks of them, whose shares are kept.
  static constexpr int most_shares = 256;

  gidx every_row = 1;  // of so many was looked at for the spy plots
  SpyGrid before;      // in the numbering of the matrix as read; ranks are those that rows were given to
  SpyGrid after;       // in the numbering of the ranks: each has a contiguous range
  std::vector<RowLengthClass> row_lengths;  // ascending, those without rows left out
  int ranks_per_block = 1;
  std::vector<double> bytes;  // of x that a product sends, from block of ranks to block of ranks; row by row
  int ranks_per_share = 1;
  std::vector<PartShare>
      shares;  // rows, nonzeros, halo and neighbours: of each block of ranks the one with most nonzeros
  int share_total = 0;  // how many ranks there are
};

/// Cells on a side of a spy plot of `length` rows or columns. Pure.
inline int spy_side(const Shape& shape) {
  const gidx longest = shape.rows > shape.cols ? shape.rows : shape.cols;
  return static_cast<int>(longest < Pictures::most_cells ? longest : gidx{Pictures::most_cells});
}

/// The classes for lengths from `shortest` to `longest`, without counts: one for each length if there are few, otherwise wider
/// and wider ones. Pure.
std::vector<RowLengthClass> row_length_classes(gidx shortest, gidx longest);

}  // namespace spmv
