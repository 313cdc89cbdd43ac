#include "dist/modes.hpp"

#include "core/value_types.hpp"
#include "dist/modes/device.hpp"
#include "dist/modes/naive.hpp"
#include "dist/modes/task.hpp"
#include "dist/modes/vector.hpp"

namespace spmv {

template <class T>
const std::vector<Mode<T>>& modes() {
  static const std::vector<Mode<T>> table = {
      {"vector",
       "exchange the halo, then one product; no overlap",
       {Layout::merged},
       ThreadLevel::single,
       false,
       false,
       vector_product<T>},
      {"naive",
       "nonblocking MPI around the local product; overlaps only if MPI progresses by itself",
       {Layout::split},
       ThreadLevel::single,
       false,
       false,
       naive_product<T>},
      {"task",
       "a dedicated host thread moves the halo while the local product runs",
       {Layout::split, Layout::parted, Layout::merged},
       ThreadLevel::serialized,
       false,
       true,
       task_product<T>},
      {"device",
       "the whole product queued at once, the exchange inside; transport p2p, shm or nccl",
       {Layout::parted},
       ThreadLevel::single,
       true,
       false,
       device_product<T>},
  };
  return table;
}

SPMV_INSTANTIATE(modes);

}  // namespace spmv
