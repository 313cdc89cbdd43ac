// Puts the rows of a rank into another order.
#pragma once

#include <vector>

#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// Row order[i] of this rank becomes its row i, with its elements of x and y; an empty order changes nothing on this rank.
/// The elements of reordered rows are sorted by column, ids stay contiguous, ghosts ascend, and original_row and
/// original_col follow. Square matrices only. Collective.
template <class T>
void reorder_rows(const Communicator& communicator, DistributedRows<T>& rows, const std::vector<lidx>& order);

}  // namespace spmv
