// Contiguous ranges of rows, balanced by rows or by nonzeros.
#include <algorithm>

#include "dist/partition/assign.hpp"

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

// A row goes to the rank in whose equal share of all nonzeros the row's middle falls; empty rows weigh one,
// so that a matrix without nonzeros is spread too.
Assignment assign_by_nonzeros(const Communicator& communicator, const Pattern& pattern,
                              const PartitionRequest& request) {
  const int parts = parts_of(communicator, request);
  const int me = communicator.rank();
  const auto weight = [&](std::size_t row) {
    return std::max<gidx>(1, pattern.row_ptr[row + 1] - pattern.row_ptr[row]);
  };
  Assignment assignment;
  assignment.rows.resize(static_cast<std::size_t>(pattern.rows.count(me)));
  gidx mine = 0;
  for (std::size_t i = 0; i < assignment.rows.size(); ++i) mine += weight(i);
  const gidx all = communicator.sum(mine);
  gidx before = communicator.sum_below(mine);
  for (std::size_t i = 0; i < assignment.rows.size(); ++i) {
    const double middle =
        (static_cast<double>(before) + 0.5 * static_cast<double>(weight(i))) / static_cast<double>(all);
    assignment.rows[i] = std::min(parts - 1, static_cast<int>(middle * parts));
    before += weight(i);
  }
  if (!pattern.square()) assignment.cols = assign_by_rows(communicator, pattern, request).cols;
  return assignment;
}

}  // namespace spmv
