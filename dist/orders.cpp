#include "dist/order/find.hpp"

namespace spmv {

const std::vector<Order>& orders() {
  static const std::vector<Order> table = {
      {.name = "none",
       .summary = "as read",
       .find = [](const OwnGraph&, int) { return std::vector<lidx>(); }},
      {.name = "grid",
       .summary = "line by line, where the rank's rows are the points of a grid",
       .find = order_by_grid,
       .seconds_per_nonzero = 0.2e-6},
      {.name = "partition",
       .summary = "by parts of parts of the rank's rows, down to a fraction of a cache (METIS)",
       .find = order_by_partition,
       .seconds_per_nonzero = 0.5e-6},
      {.name = "rcm",
       .summary = "reverse Cuthill-McKee: a narrow band (Boost.Graph)",
       .find = order_by_rcm,
       .missing = rcm_missing},
  };
  return table;
}

}  // namespace spmv
