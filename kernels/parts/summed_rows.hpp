// Inner products that a product y = A x leaves behind, summed by its own kernel while every row's result is in a register.
#pragma once

#include "kernels/parts/scalar.hpp"

namespace spmv {

/// Parts of a sum that a kernel may leave at most: more would take longer to add up than y takes to read.
inline constexpr int most_parts_of_a_kernel = 2048;

/// Device memory in which the thread blocks of a kernel meet that are too many to leave a part each: the last one of a group to
/// arrive adds up those of its group, in their order.
template <class S>
struct BlockSums {
  S* xy = nullptr;  // of every thread block
  S* yy = nullptr;
  unsigned* arrived = nullptr;  // blocks of every group; 0 before and after a kernel
  offset room = 0;              // for thread blocks
};
inline constexpr int most_groups = 1024;
/// Groups of consecutive thread blocks.
struct BlockGroups {
  int size;
  int count;
};
/// Pure.
constexpr BlockGroups groups_of(offset blocks) {
  constexpr offset least = 16;
  if (blocks <= most_groups) return {1, static_cast<int>(blocks)};
  const offset needed = (blocks + most_groups - 1) / most_groups, size = needed < least ? least : needed;
  return {static_cast<int>(size), static_cast<int>((blocks + size - 1) / size)};
}

/// Where the sums go: device memory. A kernel leaves a part of each sum for every thread block, or for every group of them.
template <class T>
struct RowSumsRequest {
  ScalarOf<T>* xy = nullptr;  // parts of (x, y); nullptr: no sums are wanted
  ScalarOf<T>* yy = nullptr;  // parts of (y, w y)
  const T* weight = nullptr;  // w by rows of y, or nullptr: 1
  int room = 0;               // for parts of each sum
  BlockSums<ScalarOf<T>> of_blocks = {};

  /// The request of a kernel that comes behind one that has left `parts`. Pure.
  RowSumsRequest behind(int parts) const { return {xy + parts, yy + parts, weight, room - parts, of_blocks}; }
};

/// Whether there are kernels for this View that sum, too. A format that has them sets this beside its view, defines
/// can_sum(view) and blocks_that_meet(view), and instantiates launch_summed_cuda().
template <class View>
inline constexpr bool sums_its_rows = false;

}  // namespace spmv
