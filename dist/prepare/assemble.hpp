#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "core/entry.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// Sends every entry to the owner of its row and builds that rank's rows: columns ascending, entries of one
/// place summed in the order of the ranks and their entries. `rows`: who owns which rows; entries lie within
/// them. Collective.
template <class T>
RowBlock<T> assemble(const Communicator& communicator, const RowPartition& rows,
                     std::vector<Entry<T>> entries);

}  // namespace spmv
