#include "dist/partition/rows.hpp"

namespace spmv {
namespace {

/// Even contiguous ranges of all ids: the part of each of this rank's. As many parts as ranks are those that rows are
/// read in already, if they were read evenly; then everyone keeps what it has.
std::vector<int> in_even_ranges(const RowPartition& ids, int rank, int parts) {
  if (parts == ids.ranks()) return std::vector<int>(static_cast<std::size_t>(ids.count(rank)), rank);
  const RowPartition even = RowPartition::even(ids.total(), parts);
  std::vector<int> part;
  part.reserve(static_cast<std::size_t>(ids.count(rank)));
  for (gidx id = ids.first(rank); id < ids.first(rank + 1); ++id) part.push_back(even.owner(id));
  return part;
}

}  // namespace

Assignment assign_by_rows(const Communicator& communicator, const Pattern& pattern,
                          const PartitionRequest& request) {
  Assignment assignment;
  const int parts = parts_of(communicator, request);
  assignment.rows = in_even_ranges(pattern.rows, communicator.rank(), parts);
  if (!pattern.square()) assignment.cols = in_even_ranges(pattern.cols, communicator.rank(), parts);
  return assignment;
}

}  // namespace spmv
