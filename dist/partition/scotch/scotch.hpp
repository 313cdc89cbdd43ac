// PT-Scotch partitions on all ranks at once: none of them holds the whole graph.
#pragma once

#include "dist/partitioner.hpp"

namespace spmv {

/// See Partitioner::missing.
extern const char* const scotch_missing;
/// See Partitioner::assign, and the summary in dist/partitioners.cpp.
Assignment assign_by_scotch(const Communicator& communicator, const Pattern& pattern,
                            const PartitionRequest& request);

}  // namespace spmv
