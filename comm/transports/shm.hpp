#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// Kernels of ranks of one node store into the neighbour's pinned shared memory and raise a flag there; the
/// neighbour's kernel waits for it and fetches the halo: one way over PCIe each, no copy by MPI, and the host
/// waits for nothing. See comm/peer_exchange.hpp.
std::string why_no_shm(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup);

}  // namespace spmv
