#include "comm/halo_exchange.hpp"
#include "comm/transports/shm.hpp"
#include "comm/transports/staged.hpp"
#include "core/pick.hpp"

namespace spmv {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> table = {
      {"staged", "through pinned host memory and MPI; works with any MPI", always_usable,
       make_staged_exchange},
      {"shm", "ranks of one node, through pinned shared memory: no copy by MPI", why_no_shm,
       make_shm_exchange},
  };
  return table;
}

std::unique_ptr<HaloExchange> make_exchange(const std::string& transport, const ExchangeSetup& setup) {
  const Transport& row =
      setup.communicator.together([&] { return pick(transports(), transport, "transport"); });
  const std::string reason = row.why_unusable(setup);
  if (!reason.empty()) throw AgreedError(ExitCode::environment, reason);
  return row.make(setup);
}

std::string always_usable(const ExchangeSetup&) {
  return {};
}

}  // namespace spmv
