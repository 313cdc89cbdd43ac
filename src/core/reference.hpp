// The only oracle: every row summed from left to right in higher precision, with its rounding bound. Threads share the
// rows and nothing else.
#pragma once

#include <functional>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// Element `column` (global id) of x number `number`: a pure function of both, in [-1, 1], exact in every value
/// type. Products take one x after another, so that one that reuses old data cannot pass.
template <class T>
T x_value(gidx column, unsigned number);

/// An element of x number `number` where x has been read: products take what was read, its negative and its half one
/// after the other, all of them exact. Pure.
template <class T>
T given_x(const T& read, unsigned number) {
  const unsigned kind = number % 3;
  return kind == 0 ? read : kind == 1 ? -read : read / RealOf<T>(2);
}

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

/// The same of an x that is given: `x` tells its elements by their global ids, to several threads at the same time. Pure
/// if it is.
template <class T>
Reference<T> reference_product_of(const RowBlock<T>& block, const std::function<T(gidx)>& x);

/// Rows whose products cannot be judged: their values, or intermediate sums, are beyond the value type.
struct Overflow {
  gidx rows = 0;
  gidx first = -1;  // index into y
};

/// Pure.
template <class T>
Overflow find_overflow(const Reference<T>& reference);

/// The rows of a product that are wrong, and the worst of them.
struct Mismatch {
  gidx rows_wrong = 0;
  gidx worst_row = -1;     // index into y
  double worst_ratio = 0;  // error over bound; infinite for NaN
};

/// Compares row by row; NaN is always wrong. `y` has reference.y.size() elements. Pure.
template <class T>
Mismatch compare(const T* y, const Reference<T>& reference);

}  // namespace spmv
