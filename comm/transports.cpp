#include "comm/halo_exchange.hpp"
#include "comm/transports/staged.hpp"

namespace spmv {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> table = {
      {"staged", "through pinned host memory and MPI; works with any MPI", make_staged_exchange},
  };
  return table;
}

}  // namespace spmv
