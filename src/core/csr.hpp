// Compressed sparse rows: the neutral host form that every format is built from.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace spmv {

/// A block in local numbering. row_ptr has rows + 1 elements, col and value row_ptr.back() elements.
template <class T>
struct Csr {
  lidx rows = 0;
  lidx cols = 0;
  std::vector<offset> row_ptr{0};
  std::vector<lidx> col;
  std::vector<T> value;

  offset nonzeros() const { return row_ptr.back(); }
  offset row_length(lidx row) const { return row_ptr[row + 1] - row_ptr[row]; }
};

/// Some rows of the global matrix, with global column ids: what one rank holds before the split.
/// Row i of this block is global row first_row + i.
template <class T>
struct RowBlock {
  gidx first_row = 0;
  std::vector<offset> row_ptr{0};
  std::vector<gidx> col;
  std::vector<T> value;

  gidx rows() const { return static_cast<gidx>(row_ptr.size()) - 1; }
  offset nonzeros() const { return row_ptr.back(); }
};

/// Size of a whole matrix, the same on every rank.
struct Shape {
  gidx rows = 0;
  gidx cols = 0;
};

}  // namespace spmv
