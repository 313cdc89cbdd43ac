#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// Ranks of one node copy their packed elements straight from the device into the neighbour's pinned shared
/// memory and raise a flag there: one D2H, one H2D, no copy by MPI.
std::string why_no_shm(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_shm_exchange(const ExchangeSetup& setup);

}  // namespace spmv
