// The orders' functions; dist/orders.cpp says what each of them does.
#pragma once

#include "dist/order.hpp"

namespace spmv {

/// Point by point along the lines of a grid, where the graph is that of a box of points and a stencil that reaches the next
/// points, alike in all directions (3; 5, 9; 7, 19, 27 points). Empty where it is not, as far as can be told: in two or three
/// dimensions that takes five points in each direction.
FindOrder order_by_grid;
FindOrder order_by_partition;
FindOrder order_by_rcm;

/// See Order::missing.
extern const char* const rcm_missing;

}  // namespace spmv
