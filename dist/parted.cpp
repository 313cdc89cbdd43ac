#include "dist/parted.hpp"

#include <algorithm>
#include <complex>

#include "dist/split.hpp"

namespace spmv {
namespace {

/// These rows of `block`, with `cols` columns.
template <class T>
Csr<T> take_rows(const Csr<T>& block, const std::vector<lidx>& rows, lidx cols) {
  Csr<T> taken;
  taken.rows = static_cast<lidx>(rows.size());
  taken.cols = cols;
  taken.row_ptr.reserve(rows.size() + 1);
  for (const lidx row : rows) taken.row_ptr.push_back(taken.row_ptr.back() + block.row_length(row));
  taken.col.resize(static_cast<std::size_t>(taken.row_ptr.back()));
  taken.value.resize(taken.col.size());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < taken.rows; ++i) {
    const offset from = block.row_ptr[rows[i]], until = block.row_ptr[rows[i] + 1];
    std::copy(block.col.begin() + from, block.col.begin() + until, taken.col.begin() + taken.row_ptr[i]);
    std::copy(block.value.begin() + from, block.value.begin() + until,
              taken.value.begin() + taken.row_ptr[i]);
  }
  return taken;
}

}  // namespace

template <class T>
Parted<T> part(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts,
               lidx group) {
  const Csr<T> merged = merge(block, first_owned, owned, ghosts);
  const auto owned_cols = static_cast<lidx>(owned);
  Parted<T> parts;
  for (lidx first = 0; first < merged.rows; first += group) {
    const lidx end = std::min(merged.rows, first + group);
    const bool needs_ghosts =
        std::any_of(merged.col.begin() + merged.row_ptr[first], merged.col.begin() + merged.row_ptr[end],
                    [=](lidx col) { return col >= owned_cols; });
    for (lidx row = first; row < end; ++row)
      (needs_ghosts ? parts.boundary_row : parts.interior_row).push_back(row);
  }
  parts.interior = take_rows(merged, parts.interior_row, owned_cols);
  parts.boundary = take_rows(merged, parts.boundary_row, merged.cols);
  return parts;
}

template struct Parted<float>;
template struct Parted<double>;
template struct Parted<std::complex<float>>;
template struct Parted<std::complex<double>>;
template Parted<float> part(const RowBlock<float>&, gidx, gidx, const std::vector<gidx>&, lidx);
template Parted<double> part(const RowBlock<double>&, gidx, gidx, const std::vector<gidx>&, lidx);
template Parted<std::complex<float>> part(const RowBlock<std::complex<float>>&, gidx, gidx,
                                          const std::vector<gidx>&, lidx);
template Parted<std::complex<double>> part(const RowBlock<std::complex<double>>&, gidx, gidx,
                                           const std::vector<gidx>&, lidx);

}  // namespace spmv
