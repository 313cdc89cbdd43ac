#include "dist/split.hpp"

#include <algorithm>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv {
namespace {

lidx narrow(gidx value, const char* what) {
  if (value > std::numeric_limits<lidx>::max())
    throw Error(ExitCode::memory,
                fmt::format("{} {} on one rank are more than 2^31 - 1: use more ranks", value, what));
  return static_cast<lidx>(value);
}

/// Local number of a global column: owned ones from 0, ghosts from `owned`.
class ColumnNumbers {
 public:
  ColumnNumbers(gidx first_owned, gidx owned, const std::vector<gidx>& ghosts)
      : first_(first_owned), owned_(owned), ghosts_(ghosts) {
    narrow(owned + static_cast<gidx>(ghosts.size()), "columns");
  }
  bool is_owned(gidx col) const { return col >= first_ && col < first_ + owned_; }
  lidx owned(gidx col) const { return static_cast<lidx>(col - first_); }
  lidx ghost(gidx col) const {
    return static_cast<lidx>(std::lower_bound(ghosts_.begin(), ghosts_.end(), col) - ghosts_.begin());
  }

 private:
  gidx first_;
  gidx owned_;
  const std::vector<gidx>& ghosts_;
};

}  // namespace

std::vector<gidx> find_ghosts(const std::vector<gidx>& cols, gidx first_owned, gidx owned) {
  std::vector<gidx> ghosts;
  for (const gidx col : cols)
    if (col < first_owned || col >= first_owned + owned) ghosts.push_back(col);
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

template <class T>
Split<T> split(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts) {
  const ColumnNumbers number(first_owned, owned, ghosts);
  Split<T> parts;
  parts.local.rows = narrow(block.rows(), "rows");
  parts.local.cols = static_cast<lidx>(owned);
  parts.nonlocal.cols = static_cast<lidx>(ghosts.size());
  const auto local_nonzeros = static_cast<std::size_t>(
      std::count_if(block.col.begin(), block.col.end(), [&](gidx col) { return number.is_owned(col); }));
  parts.local.col.reserve(local_nonzeros);
  parts.local.value.reserve(local_nonzeros);
  parts.local.row_ptr.reserve(block.row_ptr.size());
  parts.nonlocal.col.reserve(block.col.size() - local_nonzeros);
  parts.nonlocal.value.reserve(block.col.size() - local_nonzeros);
  for (lidx i = 0; i < parts.local.rows; ++i) {
    for (offset k = block.row_ptr[static_cast<std::size_t>(i)];
         k < block.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const gidx col = block.col[static_cast<std::size_t>(k)];
      const bool is_local = number.is_owned(col);
      Csr<T>& part = is_local ? parts.local : parts.nonlocal;
      part.col.push_back(is_local ? number.owned(col) : number.ghost(col));
      part.value.push_back(block.value[static_cast<std::size_t>(k)]);
    }
    parts.local.row_ptr.push_back(static_cast<offset>(parts.local.col.size()));
    if (static_cast<offset>(parts.nonlocal.col.size()) > parts.nonlocal.row_ptr.back()) {
      parts.nonlocal.row_ptr.push_back(static_cast<offset>(parts.nonlocal.col.size()));
      parts.nonlocal_row.push_back(i);
    }
  }
  parts.nonlocal.rows = static_cast<lidx>(parts.nonlocal_row.size());
  return parts;
}

template <class T>
Csr<T> merge(const RowBlock<T>& block, gidx first_owned, gidx owned, const std::vector<gidx>& ghosts) {
  const ColumnNumbers number(first_owned, owned, ghosts);
  Csr<T> merged;
  merged.rows = narrow(block.rows(), "rows");
  merged.cols = static_cast<lidx>(owned + static_cast<gidx>(ghosts.size()));
  merged.row_ptr = block.row_ptr;
  merged.value = block.value;
  merged.col.reserve(block.col.size());
  for (const gidx col : block.col)
    merged.col.push_back(number.is_owned(col) ? number.owned(col)
                                              : static_cast<lidx>(owned) + number.ghost(col));
  return merged;
}

template <class T>
Csr<T> permute_rows(Csr<T> block, const std::vector<lidx>& order) {
  if (order.empty()) return block;
  Csr<T> permuted;
  permuted.rows = block.rows;
  permuted.cols = block.cols;
  permuted.row_ptr.reserve(block.row_ptr.size());
  permuted.col.reserve(block.col.size());
  permuted.value.reserve(block.value.size());
  for (const lidx row : order) {
    const offset from = block.row_ptr[static_cast<std::size_t>(row)];
    const offset until = block.row_ptr[static_cast<std::size_t>(row) + 1];
    permuted.col.insert(permuted.col.end(), block.col.begin() + from, block.col.begin() + until);
    permuted.value.insert(permuted.value.end(), block.value.begin() + from, block.value.begin() + until);
    permuted.row_ptr.push_back(static_cast<offset>(permuted.col.size()));
  }
  return permuted;
}

template <class T>
void rename_columns(Csr<T>& block, const std::vector<lidx>& position) {
  const auto renamed = static_cast<lidx>(position.size());
  for (lidx& col : block.col)
    if (col < renamed) col = position[static_cast<std::size_t>(col)];
}

template struct Split<float>;
template struct Split<double>;
template struct Split<std::complex<float>>;
template struct Split<std::complex<double>>;
template Split<float> split(const RowBlock<float>&, gidx, gidx, const std::vector<gidx>&);
template Split<double> split(const RowBlock<double>&, gidx, gidx, const std::vector<gidx>&);
template Split<std::complex<float>> split(const RowBlock<std::complex<float>>&, gidx, gidx,
                                          const std::vector<gidx>&);
template Split<std::complex<double>> split(const RowBlock<std::complex<double>>&, gidx, gidx,
                                           const std::vector<gidx>&);
template Csr<float> merge(const RowBlock<float>&, gidx, gidx, const std::vector<gidx>&);
template Csr<double> merge(const RowBlock<double>&, gidx, gidx, const std::vector<gidx>&);
template Csr<std::complex<float>> merge(const RowBlock<std::complex<float>>&, gidx, gidx,
                                        const std::vector<gidx>&);
template Csr<std::complex<double>> merge(const RowBlock<std::complex<double>>&, gidx, gidx,
                                         const std::vector<gidx>&);
template Csr<float> permute_rows(Csr<float>, const std::vector<lidx>&);
template Csr<double> permute_rows(Csr<double>, const std::vector<lidx>&);
template Csr<std::complex<float>> permute_rows(Csr<std::complex<float>>, const std::vector<lidx>&);
template Csr<std::complex<double>> permute_rows(Csr<std::complex<double>>, const std::vector<lidx>&);
template void rename_columns(Csr<float>&, const std::vector<lidx>&);
template void rename_columns(Csr<double>&, const std::vector<lidx>&);
template void rename_columns(Csr<std::complex<float>>&, const std::vector<lidx>&);
template void rename_columns(Csr<std::complex<double>>&, const std::vector<lidx>&);

}  // namespace spmv
