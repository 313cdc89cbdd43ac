// METIS on groups of neighbouring rows. Where neighbouring rows refer to neighbouring columns, as those of a
// grid do, that costs little of the cut, and gives two things: METIS, which is serial, has a graph of a
// thirty-second of the vertices and even fewer edges; and rows that stay together keep the short column distances
// and the diagonals that packed formats store in few bytes.
#include "dist/partition/metis_groups.hpp"

#include "dist/partition/metis.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

Assignment assign_by_metis_groups(const Communicator& communicator, const Pattern& pattern,
                                  const PartitionRequest& request) {
  if (!pattern.square()) return assign_by_metis(communicator, pattern, request);
  const int me = communicator.rank();
  // As many as a format stores side by side, and a few more where rows come in units.
  const RowGroups groups = group_rows(communicator, pattern, slice_rows);
  const std::vector<int> part =
      part_by_metis(communicator, graph_of_groups(communicator, pattern, groups), request);
  Assignment assignment;
  const gidx first_row = pattern.rows.first(me), first_group = groups.groups().first(me);
  for (gidx i = 0; i < pattern.rows.count(me); ++i)
    assignment.rows.push_back(part[static_cast<std::size_t>(groups.of(first_row + i, me) - first_group)]);
  return assignment;
}

}  // namespace spmv
