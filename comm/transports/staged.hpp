// D2H into pinned staging memory, persistent MPI messages, H2D. In a large halo the three steps of different
// parts overlap: a part is sent as soon as it is on the host, and goes to the device as soon as it has come.
#pragma once

#include <memory>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::make.
std::unique_ptr<HaloExchange> make_staged_exchange(const ExchangeSetup& setup);

}  // namespace spmv
