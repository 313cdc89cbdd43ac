// What the lengths of a block's rows tell, from one pass over all of them.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace spmv {

/// Rows of the windows in which slices may be sorted.
inline constexpr lidx sorting_window = 1024;

struct LengthCounts {
  std::vector<offset> rows_of_length;  // element l: rows of l nonzeros; as long as the longest row, and one
  offset changes = 0;                  // rows of another length than the row before
  offset iterations = 0;               // sum over slices of the longest row
  offset iterations_in_windows = 0;    // the same with rows sorted within windows of sorting_window rows
};

/// Of a block with these row_ptr. OpenMP.
LengthCounts sum_up_lengths(const std::vector<offset>& row_ptr);

/// Sum over slices of the longest row, with rows sorted by length, of which there are so many of every length. Pure.
offset iterations_sorted(const std::vector<offset>& rows_of_length);

}  // namespace spmv
