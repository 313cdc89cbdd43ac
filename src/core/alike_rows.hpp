#pragma once

#include <algorithm>
#include <cstddef>

namespace spmv {

/// Whether row i, not the first, has the very columns of the row before, in their order. `rows` has row_ptr and col, as Csr
/// does. Pure.
template <class Rows>
bool has_columns_of_row_before(const Rows& rows, std::size_t i) {
  const auto before = rows.row_ptr[i - 1], begin = rows.row_ptr[i], end = rows.row_ptr[i + 1];
  const auto col = rows.col.begin();
  return end - begin == begin - before && std::equal(col + begin, col + end, col + before);
}

}  // namespace spmv
