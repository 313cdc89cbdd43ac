#pragma once

#include "dist/partition/local_graph.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

/// See Partitioner::assign, and the summary in dist/partitioners.cpp.
Assignment assign_by_metis(const Communicator& communicator, const Pattern& pattern,
                           const PartitionRequest& request);

/// The part of each of this rank's vertices: METIS's k-way partition, made on rank 0. Collective;
/// throws AgreedError where the graph is too wide for METIS or rank 0 has no memory for it.
std::vector<int> part_by_metis(const Communicator& communicator, const LocalGraph& local,
                               const PartitionRequest& request);

}  // namespace spmv
