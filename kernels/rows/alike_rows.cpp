#include "kernels/rows/alike_rows.hpp"

#include "core/alike_rows.hpp"
#include "core/value_types.hpp"

namespace spmv {

template <class T>
AlikeRows find_alike_rows(const Csr<T>& block) {
  constexpr offset one_of = 8;  // for fewer, looking at every row costs more than they save
  AlikeRows found;
  found.alike.resize(static_cast<std::size_t>(block.rows));
  offset count = 0, nonzeros = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, nonzeros)
  for (lidx row = 1; row < block.rows; ++row) {
    if (!has_columns_of_row_before(block, static_cast<std::size_t>(row))) continue;
    found.alike[row] = 1;
    ++count;
    nonzeros += block.row_ptr[row + 1] - block.row_ptr[row];
  }
  if (count * one_of < block.rows) return {};
  found.nonzeros = nonzeros;
  return found;
}

SPMV_INSTANTIATE(find_alike_rows);

}  // namespace spmv
