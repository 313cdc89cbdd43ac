#pragma once

#include "dist/partitioner.hpp"

namespace spmv {

/// See Partitioner::assign, and the summary in dist/partitioners.cpp. Says in Assignment::choice what it took and why.
Assignment assign_by_auto(const Communicator& communicator, const Pattern& pattern,
                          const PartitionRequest& request);

}  // namespace spmv
