#include "comm/transports/make.hpp"
#include "comm/transports/peer/mailboxes.hpp"

namespace spmv {

std::string why_no_p2p(const ExchangeSetup& setup) {
  return why_no_mailboxes(setup, Memory::device, "p2p", "node_aware, nccl or staged");
}

std::unique_ptr<HaloExchange> make_p2p_exchange(const ExchangeSetup& setup) {
  return join_peers(setup, Memory::device);
}

}  // namespace spmv
