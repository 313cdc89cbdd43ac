#include "comm/halo_exchange.hpp"
#include "comm/transports/gpu_aware/gpu_aware.hpp"
#include "comm/transports/nccl/nccl.hpp"
#include "comm/transports/node_aware.hpp"
#include "comm/transports/p2p.hpp"
#include "comm/transports/shm.hpp"
#include "comm/transports/shm_copy.hpp"
#include "comm/transports/staged.hpp"
#include "core/pick.hpp"

namespace spmv {

const std::vector<Transport>& transports() {
  static const std::vector<Transport> table = {
      {"staged", "through pinned host memory and MPI; works with any MPI", always_usable,
       make_staged_exchange},
      {"shm", "kernels store into pinned shared memory of the node; the host waits for nothing", why_no_shm,
       make_shm_exchange},
      {"shm_copy", "copies into pinned shared memory of the node, by the host; for ranks that share a GPU",
       why_no_shm_copy, make_shm_copy_exchange},
      {"p2p", "kernels store into the neighbour GPU's memory; the host waits for nothing", why_no_p2p,
       make_p2p_exchange},
      {"gpu_aware", "device memory straight to MPI, where it takes that", why_no_gpu_aware,
       make_gpu_aware_exchange, "gpu_aware"},
      {"nccl", "NCCL's sends and receives on a queue; the host waits for nothing", why_no_nccl,
       make_nccl_exchange, nullptr, nccl_start_s},
      {"node_aware", "the best transport within a node and the best between nodes, at the same time",
       always_usable, make_node_aware_exchange, "gpu_aware"},
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

void HaloExchange::start_gathering(const std::byte*, const lidx*, const Event&, PhaseLog*) {
  throw Error(ExitCode::internal, "this transport takes packed elements only");
}

std::string always_usable(const ExchangeSetup&) {
  return {};
}

}  // namespace spmv
