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

/// Square matrix: a vertex for each row, weighing its nonzeros. Rectangular: for each rank its rows, then its columns, which
/// weigh nothing. An edge for each nonzero off the diagonal, in either triangle. Collective.
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

/// Groups of at least `least` rows. If a rank's rows come in units of one size with equal patterns, such as the unknowns of a
/// point, no unit is cut. Collective.
RowGroups group_rows(const Communicator& communicator, const Pattern& pattern, gidx least);

/// How many other groups the rows of a group refer to, per nonzero, estimated from some groups. For symmetric patterns these
/// are about the edges of graph_of_groups(). Collective.
double edges_per_nonzero(const Communicator& communicator, const Pattern& pattern, const RowGroups& groups);

/// A vertex for each group, weighing as much as its rows; the nonzeros between two groups become one edge, whose strength is
/// their number. Every rank contracts its rows before it sends edges. Collective.
LocalGraph graph_of_groups(const Communicator& communicator, const Pattern& pattern, const RowGroups& groups);

}  // namespace spmv
