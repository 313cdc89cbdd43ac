// The undirected graph whose parts become the ranks' rows. It stays distributed as the rows are.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

/// Vertex ids of a pattern's graph: every rank's rows, then (rectangular only) its columns, rank after rank. It refers
/// to the pattern that it is made of. Local.
class GraphVertices {
 public:
  explicit GraphVertices(const Pattern& pattern) : pattern_(pattern) {}
  gidx of_row(gidx row) const {
    return row + (pattern_.square() ? 0 : pattern_.cols.first(pattern_.rows.owner(row)));
  }
  gidx of_col(gidx col) const {
    return pattern_.square() ? col : col + pattern_.rows.first(pattern_.cols.owner(col) + 1);
  }
  int owner_of_col(gidx col) const { return pattern_.cols.owner(col); }
  gidx total() const { return pattern_.rows.total() + (pattern_.square() ? 0 : pattern_.cols.total()); }
  gidx first(int rank) const {
    return pattern_.rows.first(rank) + (pattern_.square() ? 0 : pattern_.cols.first(rank));
  }
  gidx count(int rank) const { return first(rank + 1) - first(rank); }

 private:
  const Pattern& pattern_;
};

/// This rank's vertices of the graph, as GraphVertices numbers them.
struct PatternGraph {
  std::vector<gidx> weight;     // a row's nonzeros, 1 at least; a column weighs nothing
  std::vector<gidx> first;      // of each vertex in `neighbour`, and behind the last one's
  std::vector<gidx> neighbour;  // global vertex ids, ascending
};

/// Both directions of every nonzero off the diagonal, once each. Collective; throws AgreedError.
PatternGraph symmetrised(const Communicator& communicator, const Pattern& pattern);

}  // namespace spmv
