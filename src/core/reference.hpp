// The only oracle: a serial product in higher precision, with a rounding bound for every row.
#pragma once

#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// Element `column` (global id) of x number `number`: a pure function of both, in [-1, 1], exact in every value
/// type. Products take one x after another, so that one that reuses old data cannot pass.
template <class T>
T x_value(gidx column, unsigned number);

/// y = A x of one such x for some rows, and how far a correct product may be from it.
template <class T>
struct Reference {
  std::vector<T> y;
  std::vector<RealOf<T>>
      bound;  // 2 n eps sum|a||x| with n = nonzeros of the row: twice the worst rounding error; infinite
              // where sum|a||x| is beyond the value type
};

/// Accumulates in long double (double for float). Columns of `block` are the ids that x_value takes. Pure.
template <class T>
Reference<T> reference_product(const RowBlock<T>& block, unsigned number);

/// Rows of which no product can be judged: their values, or sums on the way to y, are beyond the value type.
struct Overflow {
  gidx rows = 0;
  gidx first = -1;  // index into y
};

/// Pure.
template <class T>
Overflow find_overflow(const Reference<T>& reference);

/// Where a product is most wrong.
struct Mismatch {
  gidx rows_wrong = 0;
  gidx worst_row = -1;     // index into y
  double worst_ratio = 0;  // error over bound; infinite for NaN
};

/// Compares row by row; NaN is always wrong. `y` has reference.y.size() elements. Pure.
template <class T>
Mismatch compare(const T* y, const Reference<T>& reference);

}  // namespace spmv
