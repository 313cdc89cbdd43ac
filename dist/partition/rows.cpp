#include "dist/partition/rows.hpp"

namespace spmv {

// Rows are read in even contiguous ranges already: everyone keeps what it has.
Assignment assign_by_rows(const Communicator& communicator, const Pattern& pattern, const PartitionRequest&) {
  Assignment assignment;
  const int me = communicator.rank();
  assignment.rows.assign(static_cast<std::size_t>(pattern.rows.count(me)), me);
  if (!pattern.square()) assignment.cols.assign(static_cast<std::size_t>(pattern.cols.count(me)), me);
  return assignment;
}

}  // namespace spmv
