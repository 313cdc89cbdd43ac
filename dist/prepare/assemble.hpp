#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "core/entry.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// Sends every entry to the owner of its row and builds the rows of this rank: columns ascend, and entries of the same row
/// and column are summed in the order of the ranks and of their entries. `rows`: who owns which rows; every entry must be
/// in one of them. Collective.
template <class T>
RowBlock<T> assemble(const Communicator& communicator, const RowPartition& rows,
                     std::vector<Entry<T>> entries);

}  // namespace spmv
