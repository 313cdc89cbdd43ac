// Kernels of ranks of one node store into the neighbour's pinned shared memory and raise a flag there; the
// neighbour's kernel waits for it and fetches the halo: the data crosses PCIe once each way, MPI copies
// nothing, and the host waits for nothing. See peer/peer_exchange.hpp.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::why_unusable and Transport::make.
std::string why_no_shm(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup);

}  // namespace spmv
