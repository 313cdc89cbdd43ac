#include "dist/split.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>

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
  const lidx rows = parts.local.rows;

  std::vector<offset>& local_ptr = parts.local.row_ptr;
  local_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < rows; ++i) {
    const auto from = block.col.begin() + block.row_ptr[i];
    const auto until = block.col.begin() + block.row_ptr[i + 1];
    local_ptr[i + 1] = std::count_if(from, until, [&](gidx col) { return number.is_owned(col); });
  }
  std::partial_sum(local_ptr.begin(), local_ptr.end(), local_ptr.begin());
  for (lidx i = 0; i < rows; ++i) {
    const offset nonlocal_end = block.row_ptr[i + 1] - local_ptr[i + 1];
    if (nonlocal_end == parts.nonlocal.row_ptr.back()) continue;
    parts.nonlocal.row_ptr.push_back(nonlocal_end);
    parts.nonlocal_row.push_back(i);
  }
  parts.nonlocal.rows = static_cast<lidx>(parts.nonlocal_row.size());

  parts.local.col.resize(local_ptr.back());
  parts.local.value.resize(local_ptr.back());
  parts.nonlocal.col.resize(parts.nonlocal.nonzeros());
  parts.nonlocal.value.resize(parts.nonlocal.nonzeros());
#pragma omp parallel for schedule(static)
  for (lidx i = 0; i < rows; ++i) {
    offset local = local_ptr[i];
    offset nonlocal = block.row_ptr[i] - local;
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k) {
      const gidx col = block.col[k];
      const bool is_local = number.is_owned(col);
      Csr<T>& part = is_local ? parts.local : parts.nonlocal;
      const offset at = is_local ? local++ : nonlocal++;
      part.col[at] = is_local ? number.owned(col) : number.ghost(col);
      part.value[at] = block.value[k];
    }
  }
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
  merged.col.resize(block.col.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < block.nonzeros(); ++k) {
    const gidx col = block.col[k];
    merged.col[k] = number.is_owned(col) ? number.owned(col) : static_cast<lidx>(owned) + number.ghost(col);
  }
  return merged;
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

}  // namespace spmv
