#include "dist/order.hpp"
#include "dist/order/none.hpp"
#include "dist/order/partition.hpp"
#include "dist/order/rcm/rcm.hpp"

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

}  // namespace spmv
