#pragma once

#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/order/choose_order.hpp"

namespace spmv {

/// Puts each rank's rows, and what their products must be, into the order that the user asked for. Collective; throws
/// AgreedError.
template <class T>
OrderDecision order_rows(const Run& run, Problem<T>& problem);

}  // namespace spmv
