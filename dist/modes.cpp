#include "dist/modes.hpp"

#include "core/value_types.hpp"
#include "dist/modes/products.hpp"

namespace spmv {

template <class T>
const std::vector<Mode<T>>& modes() {
  static const std::vector<Mode<T>> table = {
      {.name = "vector",
       .summary = "exchange the halo, then one product; no overlap",
       .layouts = {"merged"},
       .thread_level = ThreadLevel::single,
       .needs_queued_exchange = false,
       .uses_comm_thread = false,
       .rank = 1,
       .product = vector_product<T>},
      {.name = "naive",
       .summary = "nonblocking MPI around the interior product; overlaps only if MPI progresses by itself",
       .layouts = {"split"},
       .thread_level = ThreadLevel::single,
       .needs_queued_exchange = false,
       .uses_comm_thread = false,
       .product = naive_product<T>},
      {.name = "task",
       .summary = "a dedicated host thread moves the halo while the interior product runs",
       .layouts = {"split", "parted", "merged"},
       .thread_level = ThreadLevel::serialized,
       .needs_queued_exchange = false,
       .uses_comm_thread = true,
       .rank = 2,
       .product = task_product<T>},
      {.name = "device",
       .summary =
           "the whole product queued at once, the exchange inside; a transport for which no host waits",
       .layouts = {"parted", "merged"},
       .thread_level = ThreadLevel::single,
       .needs_queued_exchange = true,
       .uses_comm_thread = false,
       .rank = 3,
       .product = device_product<T>},
  };
  return table;
}

SPMV_INSTANTIATE(modes);

}  // namespace spmv
