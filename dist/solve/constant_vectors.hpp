// Constant vectors, which matrices of pure Neumann problems map to 0.
#pragma once

#include <limits>
#include <vector>

#include "dist/solve/workspace.hpp"

namespace spmv {

/// Vectors without their constant part, for matrices that map constant vectors to 0.
template <class T>
class ConstantProjection {
 public:
  /// `on` must outlive this. Collective.
  ConstantProjection(Workspace<T>& on, const Operator<T>& A);
  /// Queues v = v - its mean. Collective.
  void apply(const VectorRef<T>& v);

 private:
  Workspace<T>& on_;
  Vector<T> ones_;
  double one_over_rows_;
};

/// The row whose elements do not cancel most: |their sum| over the power of two above the largest of them.
struct RowSum {
  double ratio = 0;       // of all ranks' rows
  std::size_t row = 0;    // this rank's worst one, in natural order ...
  double ratio_here = 0;  // ... its ratio ...
  double sum_here = 0;    // ... and |its sum|
};

/// What rounding may leave of the sum of a row's elements, over the largest of them.
template <class T>
constexpr double rounding_of_row_sums = 256 * double{std::numeric_limits<RealOf<T>>::epsilon()};

/// Of A 1: 0 but for rounding, where A maps constant vectors to 0. One product. Waits. Collective.
template <class T>
RowSum largest_row_sum(Workspace<T>& on, const Operator<T>& A);

/// Within rounding. One product. Waits. Collective.
template <class T>
bool maps_constants_to_zero(Workspace<T>& on, const Operator<T>& A) {
  return largest_row_sum(on, A).ratio <= rounding_of_row_sums<T>;
}

}  // namespace spmv
