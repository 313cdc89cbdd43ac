// Some slices of a block, from which all are judged.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/csr.hpp"
#include "core/region_failure.hpp"
#include "core/types.hpp"
#include "kernels/parts/column_groups.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Slices of a block, at most so many, spread evenly. Where that leaves some out, so are those of far more nonzeros than
/// others have, as long as there are others: looking at one of them would take longer than at all the rest.
template <class T>
class SliceSample {
 public:
  SliceSample(const Csr<T>& block, offset most) : block_(block) {
    constexpr offset far_more = 32;  // times the mean
    const offset slices = (offset{block.rows} + slice_rows - 1) / slice_rows;
    const offset stride = std::max<offset>(1, (slices + most - 1) / most);
    const offset most_nonzeros = far_more * (block.nonzeros() / std::max<offset>(slices, 1) + 1);
    std::vector<offset> heavy;
    for (offset first = 0; first < block.rows; first += stride * slice_rows)
      (stride == 1 || nonzeros_of(first) <= most_nonzeros ? first_rows_ : heavy).push_back(first);
    if (first_rows_.empty()) first_rows_ = std::move(heavy);
  }
  offset count() const { return static_cast<offset>(first_rows_.size()); }
  offset first_row(offset number) const { return first_rows_[number]; }
  /// The row after the last one of the slice that begins with this row.
  offset end_of(offset first) const { return std::min<offset>(first + slice_rows, block_.rows); }

 private:
  offset nonzeros_of(offset first) const { return block_.row_ptr[end_of(first)] - block_.row_ptr[first]; }

  const Csr<T>& block_;
  std::vector<offset> first_rows_;
};

/// Calls look(first, last, sums, scratch) for the rows of every slice of the sample, and adds the sums up. OpenMP.
template <class Sums, class T, class Look>
Sums sum_over_slices(const SliceSample<T>& sample, Look look) {
  Sums sums;
  RegionFailure failure;
#pragma omp parallel
  {
    Sums mine;
    GroupScratch scratch;
#pragma omp for schedule(dynamic)  // one may have a row that is longer than all others together
    for (offset number = 0; number < sample.count(); ++number)
      failure.guard([&] {
        const offset first = sample.first_row(number);
        look(first, sample.end_of(first), mine, scratch);
      });
#pragma omp critical(spmv_sum_over_slices)
    sums.add(mine);
  }
  failure.rethrow();
  return sums;
}

}  // namespace spmv
