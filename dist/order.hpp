// In which order a rank keeps its own rows, and x with them, so that rows that need the same elements of x lie together.
// dist/orders.cpp is the table; an order is one file.
#pragma once

#include <vector>

#include "core/types.hpp"
#include "dist/graph.hpp"

namespace spmv {

/// A rank's own rows and columns as a graph: a vertex is a row and the element of x of that number, or, by its weight, several
/// rows that stay side by side.
using OwnGraph = Graph<lidx, offset>;

/// The vertices in their order; empty where each is one row. For orders that find no two vertices that belong together: the
/// rows of a vertex still have to come side by side. Pure.
std::vector<lidx> vertices_as_they_are(const OwnGraph& graph);

/// The graph of a block's first `owned` rows and columns, row_ptr and col as in Csr: both directions of every nonzero
/// off the diagonal, once each; ghosts are left out. Pure.
OwnGraph own_graph(const std::vector<offset>& row_ptr, const std::vector<lidx>& col, lidx owned);

/// For each new place the vertex that comes to it; empty where all stay. The same seed gives the same result. Local;
/// throws Error.
using FindOrder = std::vector<lidx>(const OwnGraph& graph, int seed);

/// Table row: an order by name.
struct Order {
  const char* name;
  const char* summary;
  FindOrder* find;
  /// Why this build lacks it, and what to do about that; nullptr if it is there.
  const char* missing = nullptr;
  /// What finding it takes for each nonzero of a rank, about, on one core of a server; 0: `auto` does not look for it.
  double seconds_per_nonzero = 0;
};

const std::vector<Order>& orders();

/// Cache lines of x that a block's rows load, where a cache keeps what the last cache_lines nonzeros have touched: the
/// measure of an order. Row i is row order[i] of the block and its own columns are renamed alike; an empty order leaves
/// all as it is. An element of x takes `element_bytes`. Pure.
offset loaded_lines(const std::vector<offset>& row_ptr, const std::vector<lidx>& col,
                    const std::vector<lidx>& order, std::size_t element_bytes);

}  // namespace spmv
