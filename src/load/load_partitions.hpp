// Partitions that are stored in the file of a matrix.
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

/// The stored partitions for the number of parts and the seed of the request, made by `partitioner`, or by any if the
/// name is empty.
/// Collective; throws AgreedError.
std::vector<ReadyPartition> load_ready(const Communicator& communicator, const MatrixSource& source,
                                       const Ownership& read, const PartitionRequest& request,
                                       const std::string& partitioner);

}  // namespace spmv
