// Inner products that a product y = A x leaves behind, summed by its own kernel while every row's result is in a register.
#pragma once

#include "kernels/parts/scalar.hpp"

namespace spmv {

/// Where the sums go: device memory. A kernel leaves a part of each sum for every thread block.
template <class T>
struct RowSumsRequest {
  ScalarOf<T>* xy = nullptr;  // parts of (x, y); nullptr: no sums are wanted
  ScalarOf<T>* yy = nullptr;  // parts of (y, w y)
  const T* weight = nullptr;  // w by rows of y, or nullptr: 1
  int room = 0;               // for parts of each sum

  /// The request of a kernel that comes behind one that has left `parts`. Pure.
  RowSumsRequest behind(int parts) const { return {xy + parts, yy + parts, weight, room - parts}; }
};

/// Whether there are kernels for this View that sum, too. A format that has them sets this beside its view, defines
/// can_sum(view) and instantiates launch_summed_cuda(). Only kernels whose thread blocks go through many rows are worth it:
/// the parts of all others take longer to add up than y takes to read.
template <class View>
inline constexpr bool sums_its_rows = false;

}  // namespace spmv
