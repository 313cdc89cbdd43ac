#include "comm/transports/make.hpp"
#include "comm/transports/peer/peer_windows.hpp"

namespace spmv {

std::string why_no_p2p(const ExchangeSetup& setup) {
  return why_no_windows(setup, Memory::device, "p2p", "node_aware, nccl or staged");
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const ExchangeSetup& setup) {
  return join_peers(setup, Memory::device);
}

}  // namespace spmv
