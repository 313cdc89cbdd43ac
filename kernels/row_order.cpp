#include "kernels/row_order.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/value_types.hpp"

namespace spmv {

std::vector<lidx> inverse(const std::vector<lidx>& order) {
  std::vector<lidx> position(order.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < order.size(); ++i)
    position[static_cast<std::size_t>(order[i])] = static_cast<lidx>(i);
  return position;
}

std::vector<offset> row_ptr_in_order(const std::vector<offset>& row_ptr, const std::vector<lidx>& order) {
  if (order.empty()) return row_ptr;
  std::vector<offset> ordered(row_ptr.size(), 0);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    ordered[i + 1] = row_ptr[row + 1] - row_ptr[row];
  }
  std::partial_sum(ordered.begin(), ordered.end(), ordered.begin());
  return ordered;
}

template <class T>
Csr<T> permute_rows(const Csr<T>& block, const std::vector<lidx>& order, const std::vector<lidx>& position) {
  if (order.empty()) return block;
  const auto renamed = static_cast<lidx>(position.size());
  Csr<T> permuted;
  permuted.rows = block.rows;
  permuted.cols = block.cols;
  permuted.row_ptr = row_ptr_in_order(block.row_ptr, order);
  permuted.col.resize(block.col.size());
  permuted.value.resize(block.value.size());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < permuted.rows; ++i) {
    const offset from = block.row_ptr[order[i]];
    const offset until = block.row_ptr[order[i] + 1];
    std::transform(block.col.begin() + from, block.col.begin() + until,
                   permuted.col.begin() + permuted.row_ptr[i],
                   [&](lidx col) { return col < renamed ? position[col] : col; });
    std::copy(block.value.begin() + from, block.value.begin() + until,
              permuted.value.begin() + permuted.row_ptr[i]);
  }
  return permuted;
}

template <class T>
void rename_columns(Csr<T>& block, const std::vector<lidx>& position) {
  const auto renamed = static_cast<lidx>(position.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < block.nonzeros(); ++k)
    if (block.col[k] < renamed) block.col[k] = position[block.col[k]];
}

SPMV_INSTANTIATE(permute_rows);
SPMV_INSTANTIATE(rename_columns);

}  // namespace spmv
