// Rows that stay with their rank, in another order.
#pragma once

#include <vector>

#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// Row i of this rank becomes what was its row order[i], and its elements of x and y with it; an empty order leaves this
/// rank's as they are. The elements of reordered rows stand in the order of their columns. Ids stay contiguous, ghosts ascending; original_row and original_col follow. Square matrices
/// only. Collective.
template <class T>
void reorder_rows(const Communicator& communicator, DistributedRows<T>& rows, const std::vector<lidx>& order);

}  // namespace spmv
