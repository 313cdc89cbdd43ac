// Rows that belong together whatever the order: those with one pattern, as the unknowns of one point of a mesh have
// them. An order is found for units, a smaller graph, and keeps the rows of a unit side by side, where blocked formats
// find them again.
#pragma once

#include "dist/order.hpp"

namespace spmv {

/// A rank's graph with a vertex for each unit, in the order of the units' first rows.
struct Units {
  OwnGraph graph;
  std::vector<lidx> of_row;  // the unit of each row
};

/// Rows become one unit where they are neighbours of each other and have all other neighbours in common; a row like no
/// other is a unit of its own. Of `rows` every vertex is a row. Pure.
Units merge_units(OwnGraph rows);

/// For each new place the row that comes to it, where the units stand in this order and the rows of a unit as before;
/// empty like `order`. Pure.
std::vector<lidx> rows_in_order(const Units& units, const std::vector<lidx>& order);

/// For each new place the row that comes to it by this order of the units; empty where all stay. Local; throws Error.
inline std::vector<lidx> find_order(const Order& order, const Units& units, int seed) {
  return rows_in_order(units, order.find(units.graph, seed));
}

}  // namespace spmv
