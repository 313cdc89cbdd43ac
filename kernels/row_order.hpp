// A block's rows, and the columns that share their order, moved to where a format wants them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// An order of the rows of a block, and what becomes of its columns.
struct RowOrder {
  std::vector<lidx> rows;      // element i is the row that comes i-th; empty: as they are
  std::vector<lidx> position;  // column c becomes position[c] where c < position.size(), others stay
};

/// position[order[i]] = i; empty stays empty. Pure.
std::vector<lidx> inverse(const std::vector<lidx>& order);

/// Row i of the result is row order[i] of `values`, which have `columns` elements in each row; an empty order changes nothing.
template <class V>
std::vector<V> reorder(std::vector<V> values, const std::vector<lidx>& order, int columns = 1) {
  if (order.empty() || values.empty()) return values;
  std::vector<V> result;
  result.reserve(values.size());
  for (const lidx i : order)
    for (int j = 0; j < columns; ++j) result.push_back(values[static_cast<std::size_t>(i) * columns + j]);
  return result;
}

/// Elements before every row, where those of the rows as they are are `row_ptr`; an empty order changes nothing. Pure.
std::vector<offset> row_ptr_in_order(const std::vector<offset>& row_ptr, const std::vector<lidx>& order);

/// Rows in another order: row i of the result is row order[i] of `block`. Columns are renamed as by
/// rename_columns(). An empty order changes nothing. Pure.
template <class T>
Csr<T> permute_rows(const Csr<T>& block, const std::vector<lidx>& order,
                    const std::vector<lidx>& position = {});

/// Renames columns in place: column c becomes position[c] where c < position.size(), others stay. Local.
template <class T>
void rename_columns(Csr<T>& block, const std::vector<lidx>& position);

}  // namespace spmv
