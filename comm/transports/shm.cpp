#include "comm/transports/make.hpp"
#include "comm/transports/peer/mailboxes.hpp"

namespace spmv {

std::string why_no_shm(const ExchangeSetup& setup) {
  return why_no_mailboxes(setup, Memory::staging, "shm", "node_aware or staged");
}

std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup) {
  return join_peers(setup, Memory::staging);
}

}  // namespace spmv
