// Reverse Cuthill-McKee: neighbours get numbers close to each other.
#pragma once

#include "dist/order.hpp"

namespace spmv {

/// See Order::missing and Order::find.
extern const char* const rcm_missing;
std::vector<lidx> order_by_rcm(const OwnGraph& graph, int seed);

}  // namespace spmv
