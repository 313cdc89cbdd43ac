// Ranks of one node copy their gathered elements straight from the device into the neighbour's pinned shared
// memory and raise a flag there: one D2H, one H2D, no copy by MPI. No kernel waits for another rank's, so
// that ranks may share a GPU; the host drives every copy.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::why_unusable and Transport::make.
std::string why_no_shm_copy(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_shm_copy_exchange(const ExchangeSetup& setup);

}  // namespace spmv
