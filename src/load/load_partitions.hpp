// Partitions that are stored with a matrix.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/partitioner.hpp"
#include "dist/row_partition.hpp"
#include "load/load_rows.hpp"

namespace spmv {

/// Number `number` of source.partitions: the parts of the rows, and of a rectangular matrix's columns, that this rank
/// has in `read`. Collective; throws AgreedError.
Assignment load_partition(const Communicator& communicator, const MatrixSource& source, std::size_t number,
                          const Ownership& read);

/// Those of source.partitions that fit the request and were made by this partitioner, or by any if the name is empty.
/// Collective; throws AgreedError.
std::vector<ReadyPartition> load_ready(const Communicator& communicator, const MatrixSource& source,
                                       const Ownership& read, const PartitionRequest& request,
                                       const std::string& partitioner);

}  // namespace spmv
