#pragma once

#include "dist/order.hpp"

namespace spmv {

/// See Order::find: point by point along the lines of a grid, where the graph is that of a box of points and a stencil that
/// reaches the next points, alike in all directions (3; 5, 9; 7, 19, 27 points). Empty where it is not, as far as can be
/// told: of a box in two or three dimensions, five points in each direction are needed to tell.
std::vector<lidx> order_by_grid(const OwnGraph& graph, int seed);

}  // namespace spmv
