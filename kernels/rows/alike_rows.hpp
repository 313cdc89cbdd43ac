// Rows with the columns of the row before, as unknowns of one point have: a core reads columns and x for several at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/csr.hpp"

namespace spmv {

/// Most rows that are multiplied at once: each has sums in registers.
inline constexpr int most_alike_rows = 6;

/// Whether `row`, not the first, has the very columns of the row before, in their order. Pure.
template <class T>
bool has_columns_of_row_before(const Csr<T>& block, offset row) {
  const auto before = block.col.begin() + block.row_ptr[row - 1];
  const auto begin = block.col.begin() + block.row_ptr[row], end = block.col.begin() + block.row_ptr[row + 1];
  return begin - before == end - begin && std::equal(begin, end, before);
}

struct AlikeRows {
  /// Of every row, 1 if it has the very columns of the row before, in their order; empty where hardly any has.
  std::vector<std::uint8_t> alike;
  offset nonzeros = 0;  // of those
};

/// Local, OpenMP over rows. Pure.
template <class T>
AlikeRows find_alike_rows(const Csr<T>& block);

}  // namespace spmv
