#include "dist/order.hpp"
#include "dist/order/none.hpp"
#include "dist/order/partition.hpp"
#include "dist/order/rcm/rcm.hpp"
#include "dist/order/units.hpp"

namespace spmv {

const std::vector<Order>& orders() {
  static const std::vector<Order> table = {
      {.name = "none", .summary = "as read", .find = order_by_none},
      {.name = "partition",
       .summary = "by parts of parts of the rank's rows, down to a fraction of a cache (METIS)",
       .find = order_by_partition},
      {.name = "rcm",
       .summary = "reverse Cuthill-McKee: a narrow band (Boost.Graph)",
       .find = order_by_rcm,
       .missing = rcm_missing},
  };
  return table;
}

std::vector<lidx> find_order(const Order& order, const std::vector<offset>& row_ptr,
                             const std::vector<lidx>& col, lidx owned, int seed) {
  const Units units = merge_units(own_graph(row_ptr, col, owned));
  return rows_in_order(units, order.find(units.graph, seed));
}

}  // namespace spmv
