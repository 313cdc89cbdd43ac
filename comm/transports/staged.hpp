#pragma once

#include <memory>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// D2H into pinned staging memory, persistent MPI requests, H2D, each in order on a queue of its own (002,
/// Fig. 4).
std::unique_ptr<HaloExchange> make_staged_exchange(const ExchangeSetup& setup);

}  // namespace spmv
