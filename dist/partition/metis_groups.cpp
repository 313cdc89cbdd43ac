// METIS on groups of neighbouring rows. Where neighbouring rows refer to neighbouring columns, as those of a
// grid do, that costs little of the cut, and gives two things: METIS, which is serial, has a graph of a
// thirty-second of the vertices; and 32 rows that stay together keep the short column distances and the
// diagonals that packed formats store in few bytes.
#include "dist/partition/metis_groups.hpp"

#include <algorithm>

#include "dist/partition/metis.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

/// As many as a format stores side by side.
constexpr gidx group_rows = slice_rows;

/// Groups of so many rows, each rank's from its first row on; the last of a rank may be smaller.
RowPartition groups_of(const RowPartition& rows) {
  std::vector<gidx> counts;
  for (int r = 0; r < rows.ranks(); ++r) counts.push_back((rows.count(r) + group_rows - 1) / group_rows);
  return RowPartition::from_counts(counts);
}

}  // namespace

Assignment assign_by_metis_groups(const Communicator& communicator, const Pattern& pattern, int seed) {
  if (!pattern.square()) return assign_by_metis(communicator, pattern, seed);
  const int me = communicator.rank();
  const RowPartition groups = groups_of(pattern.rows);
  const auto mine = static_cast<std::size_t>(groups.count(me));
  const auto rows = static_cast<std::size_t>(pattern.rows.count(me));
  std::vector<offset> row_ptr{0};
  for (std::size_t g = 1; g <= mine; ++g)
    row_ptr.push_back(pattern.row_ptr[std::min(rows, g * static_cast<std::size_t>(group_rows))]);
  // Every nonzero stays, so that a group weighs as much as its rows.
  std::vector<gidx> col;
  col.reserve(pattern.col.size());
  for (const gidx c : pattern.col) {
    const int owner = pattern.cols.owner(c);
    col.push_back(groups.first(owner) + (c - pattern.cols.first(owner)) / group_rows);
  }
  const Ownership owners{groups, groups};
  const Pattern coarse(owners, row_ptr, col);
  const std::vector<int> of_group = assign_by_metis(communicator, coarse, seed).rows;
  Assignment assignment;
  assignment.rows.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i)
    assignment.rows.push_back(of_group[i / static_cast<std::size_t>(group_rows)]);
  return assignment;
}

}  // namespace spmv
