// Kernels store straight into the neighbour's device memory (CUDA IPC), over NVLink or PCIe, and raise a
// flag there; the neighbour's kernel waits for it. The host waits for nothing. See peer/peer_exchange.hpp.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::why_unusable and Transport::make.
std::string why_no_p2p(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_p2p_exchange(const ExchangeSetup& setup);

}  // namespace spmv
