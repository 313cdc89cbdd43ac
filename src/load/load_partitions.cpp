#include "load/load_partitions.hpp"

#include "core/printable.hpp"

namespace spmv {

std::vector<ReadyPartition> load_ready(const Communicator& communicator, const MatrixSource& source,
                                       const Ownership& read, const PartitionRequest& request,
                                       const std::string& partitioner) {
  std::vector<ReadyPartition> ready;
  for (std::size_t i = 0; i < source.partitions.size(); ++i) {
    const StoredPartition& stored = source.partitions[i];
    if ((partitioner.empty() || stored.partitioner == partitioner) && stored.seed == request.seed &&
        stored.parts == parts_of(communicator, request))
      ready.push_back(
          {stored.partitioner, printable(source.name), load_partition(communicator, source, i, read)});
  }
  return ready;
}

}  // namespace spmv
