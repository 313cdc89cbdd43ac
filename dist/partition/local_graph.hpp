// The pattern of a matrix as an undirected graph whose vertices are spread over the ranks: what partitioners of
// graphs work on.
#pragma once

#include <utility>
#include <vector>

#include "dist/graph.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

/// This rank's vertices of a graph; neighbours have global numbers.
struct LocalGraph : Graph<gidx> {
  RowPartition owners;  // of vertices
};

/// A vertex for each row of a square matrix, with as many nonzeros as weight; for each row, then each column of any
/// other, rank after rank, and columns weigh nothing. An edge for each nonzero off the diagonal, whichever triangle it
/// is in. Collective.
LocalGraph graph_of_rows(const Communicator& communicator, const Pattern& pattern);

/// Consecutive rows of a square matrix that stay together: every rank has groups of one size, from its first row on.
class RowGroups {
 public:
  /// `size` of a group for each rank, `phase`: rows in the rank's first group, 1 to size, or 0 for whole groups from
  /// its first row on. `rows` must outlive this.
  RowGroups(const RowPartition& rows, std::vector<std::pair<gidx, gidx>> size_and_phase);

  const RowPartition& groups() const { return groups_; }
  /// The group of a row that belongs to `rank`.
  gidx of(gidx row, int rank) const {
    const auto& [size, phase] = shape_[static_cast<std::size_t>(rank)];
    const gidx local = row - rows_.first(rank);
    return groups_.first(rank) + (local < phase ? 0 : (local - phase) / size + (phase > 0 ? 1 : 0));
  }

 private:
  const RowPartition& rows_;
  std::vector<std::pair<gidx, gidx>> shape_;
  RowPartition groups_;
};

/// Groups of at least `least` rows that cut no unit of rows with equal patterns, as the unknowns of one point have
/// them, where a rank's rows come in units of one size. Collective.
RowGroups group_rows(const Communicator& communicator, const Pattern& pattern, gidx least);

/// How many other groups the rows of a group refer to, for each nonzero, as far as some of the groups tell: about as many
/// edges graph_of_groups() has, where patterns are symmetric. Collective.
double edges_per_nonzero(const Communicator& communicator, const Pattern& pattern, const RowGroups& groups);

/// A vertex for each group of rows, weighing as much as its rows; the nonzeros between two groups are one edge of
/// their number. Contracted before anything is sent: ranks hold and send an edge for each pair of groups, not for
/// each nonzero. Collective.
LocalGraph graph_of_groups(const Communicator& communicator, const Pattern& pattern, const RowGroups& groups);

}  // namespace spmv
