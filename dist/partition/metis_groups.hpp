#pragma once

#include "dist/partitioner.hpp"

namespace spmv {

/// See Partitioner::assign, and the summary in dist/partitioners.cpp.
Assignment assign_by_metis_groups(const Communicator& communicator, const Pattern& pattern,
                                  const PartitionRequest& request);

}  // namespace spmv
