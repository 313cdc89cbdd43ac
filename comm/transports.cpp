#include "comm/halo_exchange.hpp"
#include "comm/transports/shm.hpp"
#include "comm/transports/staged.hpp"

namespace spmv {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> table = {
      {"staged", "through pinned host memory and MPI; works with any MPI", make_staged_exchange},
      {"shm", "ranks of one node, through pinned shared memory: no copy by MPI", make_shm_exchange},
  };
  return table;
}

}  // namespace spmv
