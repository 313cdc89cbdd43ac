// What a product's own kernel does with every row's result while it is in a register, beside storing it: it scales it, and adds
// it to inner products.
#pragma once

#include <cstddef>

#include "kernels/parts/scalar.hpp"

namespace spmv {

/// y = alpha A x + beta w + gamma y instead of y = A x: a three-term recurrence where w is x.
template <class T>
struct RowFactors {
  T alpha = T(1);
  T beta = T(0);         // 0: w is not read
  const T* w = nullptr;  // by rows of y
  T gamma = T(0);        // 0: y is not read
};

/// What is wanted of a product beside y, of every column. Sums go to device memory: a kernel leaves a part of each sum for every
/// thread block.
template <class T>
struct RowWork {
  ScalarOf<T>* xy = nullptr;  // parts of (x, y); nullptr: no sums are wanted
  ScalarOf<T>* yy = nullptr;  // parts of (y, w y)
  const T* weight = nullptr;  // w by rows of y, or nullptr: 1
  int room = 0;               // for parts of each sum
  std::ptrdiff_t apart = 0;   // from the parts of a column to those of the next one
  bool scales = false;        // whether there are factors
  RowFactors<T> factors = {};

  constexpr bool sums() const { return xy != nullptr; }
  /// Whether a product is more than y = A x.
  constexpr bool any() const { return sums() || scales; }
  /// The work of a kernel that comes after one that has left `parts`. Pure.
  RowWork after(int parts) const {
    RowWork rest = *this;
    if (!sums()) return rest;
    rest.xy += parts;
    rest.yy += parts;
    rest.room -= parts;
    return rest;
  }
};

/// Whether there are kernels of one column for this View that scale and sum, too. A format that has them sets this beside its
/// view, defines can_sum(view) and instantiates launch_summed_cuda(). Only kernels whose thread blocks go through many rows are worth it:
/// the parts of all others take longer to add up than y takes to read.
template <class View>
inline constexpr bool sums_its_rows = false;

/// The same of several columns, with launch_summed_columns_cuda().
template <class View>
inline constexpr bool sums_its_columns = false;

}  // namespace spmv
