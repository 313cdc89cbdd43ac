#include "kernels/columns/plans.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

/// Rows stored in every column: those of the blocks that reach it, padding included.
template <class T>
std::vector<offset> column_heights(const Csr<T>& block, lidx block_rows) {
  std::vector<offset> height;
  for (offset first = 0; first < block.rows; first += block_rows) {
    const offset last = std::min<offset>(first + block_rows, block.rows);
    offset longest = 0;
    for (offset row = first; row < last; ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    if (first == 0) height.resize(longest);
    if (longest > static_cast<offset>(height.size()) || (longest > 0 && height[longest - 1] != first))
      throw Error(ExitCode::internal,
                  "jagged columns need their rows in descending order of length: apply row_order first");
    for (offset j = 0; j < longest; ++j) height[j] = first + block_rows;
  }
  return height;
}

}  // namespace

template <class T>
std::vector<lidx> sorted_rows(const Csr<T>& block, lidx window) {
  if (window <= 1) return {};
  longest_row(block);
  std::vector<lidx> order(static_cast<std::size_t>(block.rows));
  std::iota(order.begin(), order.end(), 0);
  const offset windows = (offset{block.rows} + window - 1) / window;
#pragma omp parallel
  {
    std::vector<offset> place;
    std::vector<lidx> sorted;
#pragma omp for schedule(dynamic, 16)
    for (offset w = 0; w < windows; ++w) {
      const offset first = w * window;
      const offset last = std::min<offset>(first + window, block.rows);
      offset longest = 0;
      for (offset row = first; row < last; ++row)
        longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
      // Counting sort: place[d] is where the next row goes that is d shorter than the longest.
      place.assign(static_cast<std::size_t>(longest) + 2, first);
      for (offset row = first; row < last; ++row)
        ++place[longest - block.row_length(static_cast<lidx>(row)) + 1];
      for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1] - first;
      for (offset row = first; row < last; ++row)
        order[place[longest - block.row_length(static_cast<lidx>(row))]++] = static_cast<lidx>(row);
    }
  }
  return order;
}

template <class T>
StridedPlan plan_strided(const Csr<T>& block) {
  StridedPlan plan;
  plan.stride = rounded_up(block.rows, warp_size);
  plan.stored = plan.stride * longest_row(block);
  return plan;
}

template <class T>
JaggedPlan plan_jagged(const Csr<T>& block, lidx block_rows) {
  if (block_rows < 1)
    throw Error(ExitCode::usage, fmt::format("pJDS block rows must be at least 1, not {}", block_rows));
  longest_row(block);
  JaggedPlan plan;
  for (const offset height : column_heights(block, block_rows)) {
    plan.col_start.push_back(plan.stored);
    plan.stored += height;
  }
  return plan;
}

template <class T>
SlicedPlan plan_sliced(const Csr<T>& block, lidx chunk_rows) {
  if (chunk_rows < 1 || (chunk_rows & (chunk_rows - 1)) != 0)
    throw Error(ExitCode::usage,
                fmt::format("the rows of a slice, C, must be a power of two, not {}", chunk_rows));
  longest_row(block);
  SlicedPlan plan;
  while ((lidx{1} << plan.log2_rows) < chunk_rows) ++plan.log2_rows;
  plan.slice_ptr.push_back(0);
  for (offset first = 0; first < block.rows; first += chunk_rows) {
    offset longest = 0;
    for (offset row = first; row < std::min<offset>(first + chunk_rows, block.rows); ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    plan.stored += longest * chunk_rows;
    plan.slice_ptr.push_back(plan.stored);
  }
  return plan;
}

template std::vector<lidx> sorted_rows(const Csr<char>&, lidx);  // a pattern without values
SPMV_INSTANTIATE(sorted_rows);
SPMV_INSTANTIATE(plan_strided);
SPMV_INSTANTIATE(plan_jagged);
SPMV_INSTANTIATE(plan_sliced);

}  // namespace spmv
