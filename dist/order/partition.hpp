#pragma once

#include "dist/order.hpp"

namespace spmv {

/// See Order::find, and the summary in dist/orders.cpp.
std::vector<lidx> order_by_partition(const OwnGraph& graph, int seed);

}  // namespace spmv
