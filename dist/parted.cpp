#include "dist/parted.hpp"

#include <algorithm>
#include <complex>

#include "dist/split.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// Rows order[first], ..., order[end - 1] of `block`, with `cols` columns.
template <class T>
Csr<T> take_rows(const Csr<T>& block, const std::vector<lidx>& order, std::size_t first, std::size_t end,
                 lidx cols) {
  Csr<T> taken;
  taken.rows = static_cast<lidx>(end - first);
  taken.cols = cols;
  taken.row_ptr.reserve(end - first + 1);
  for (std::size_t i = first; i < end; ++i)
    taken.row_ptr.push_back(taken.row_ptr.back() + block.row_length(order[i]));
  taken.col.resize(static_cast<std::size_t>(taken.row_ptr.back()));
  taken.value.resize(taken.col.size());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < taken.rows; ++i) {
    const lidx row = order[first + static_cast<std::size_t>(i)];
    const offset from = block.row_ptr[row], until = block.row_ptr[row + 1];
    std::copy(block.col.begin() + from, block.col.begin() + until, taken.col.begin() + taken.row_ptr[i]);
    std::copy(block.value.begin() + from, block.value.begin() + until,
              taken.value.begin() + taken.row_ptr[i]);
  }
  return taken;
}

}  // namespace

template <class T>
Parted<T> part(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts,
               bool square) {
  Csr<T> merged = merge(block, first_owned, owned, ghosts);
  const auto owned_cols = static_cast<lidx>(owned);
  Parted<T> parts;
  std::vector<lidx> boundary;
  for (lidx row = 0; row < merged.rows; ++row) {
    const auto begin = merged.col.begin() + merged.row_ptr[row];
    const auto end = merged.col.begin() + merged.row_ptr[row + 1];
    const bool needs_ghosts = std::any_of(begin, end, [=](lidx col) { return col >= owned_cols; });
    (needs_ghosts ? boundary : parts.row_order).push_back(row);
  }
  const std::size_t interior = parts.row_order.size();
  parts.row_order.insert(parts.row_order.end(), boundary.begin(), boundary.end());
  if (square) rename_columns(merged, inverse(parts.row_order));
  parts.interior = take_rows(merged, parts.row_order, 0, interior, owned_cols);
  parts.boundary = take_rows(merged, parts.row_order, interior, parts.row_order.size(), merged.cols);
  return parts;
}

template struct Parted<float>;
template struct Parted<double>;
template struct Parted<std::complex<float>>;
template struct Parted<std::complex<double>>;
template Parted<float> part(const RowBlock<float>&, gidx, gidx, const std::vector<gidx>&, bool);
template Parted<double> part(const RowBlock<double>&, gidx, gidx, const std::vector<gidx>&, bool);
template Parted<std::complex<float>> part(const RowBlock<std::complex<float>>&, gidx, gidx,
                                          const std::vector<gidx>&, bool);
template Parted<std::complex<double>> part(const RowBlock<std::complex<double>>&, gidx, gidx,
                                           const std::vector<gidx>&, bool);

}  // namespace spmv
