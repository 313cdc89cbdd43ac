// The aligned b x b blocks that hold the elements of some rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/region_failure.hpp"
#include "kernels/parts/block_source.hpp"

namespace spmv {

/// Block columns, `b` columns wide, that hold an element of rows first .. last - 1: each once, ascending, in `found`.
/// Local.
template <class T>
void find_block_cols(const BlockSource<T>& from, offset first, offset last, int b, std::vector<lidx>& found) {
  found.clear();
  for (offset row = first; row < last; ++row)
    for (offset k = from.begin(row); k < from.end(row); ++k) found.push_back(from.column(k) / b);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

/// Aligned b x b blocks that hold an element, in CSR.
template <class T>
struct BlockElements {
  std::vector<offset> row_ptr;  // rows of blocks + 1, in blocks
  std::vector<lidx> col;        // of blocks, ascending in a row
  std::vector<T> value;         // b x b of each block, row after row
};

/// The blocks of all rows, filled with `filler`; put(place, value) stores an element. OpenMP.
template <class T, class Put>
BlockElements<T> cover_rows(const BlockSource<T>& from, int b, const T& filler, const Put& put) {
  const offset block_rows = (offset{from.rows} + b - 1) / b, scalars = offset{b} * b;
  const auto last_row = [&](offset r) { return std::min<offset>((r + 1) * b, from.rows); };
  BlockElements<T> made;
  made.row_ptr.assign(static_cast<std::size_t>(block_rows) + 1, 0);
  for_all<std::vector<lidx>>(block_rows, [&](offset r, std::vector<lidx>& cols) {
    find_block_cols(from, r * b, last_row(r), b, cols);
    made.row_ptr[r + 1] = static_cast<offset>(cols.size());
  });
  for (offset r = 0; r < block_rows; ++r) made.row_ptr[r + 1] += made.row_ptr[r];
  made.col.resize(static_cast<std::size_t>(made.row_ptr.back()));
  made.value.assign(static_cast<std::size_t>(made.row_ptr.back() * scalars), filler);
  for_all<std::vector<lidx>>(block_rows, [&](offset r, std::vector<lidx>& cols) {
    find_block_cols(from, r * b, last_row(r), b, cols);
    std::copy(cols.begin(), cols.end(), made.col.begin() + made.row_ptr[r]);
    for (offset row = r * b; row < last_row(r); ++row)
      for (offset k = from.begin(row); k < from.end(row); ++k) {
        const lidx col = from.column(k);
        const offset at =
            made.row_ptr[r] + (std::lower_bound(cols.begin(), cols.end(), col / b) - cols.begin());
        put(made.value[at * scalars + (row - r * b) * b + col % b], from.value[k]);
      }
  });
  return made;
}

}  // namespace spmv
