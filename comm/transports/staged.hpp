#pragma once

#include <memory>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// D2H into pinned staging memory, persistent MPI messages, H2D. Large halos take the three steps beside each
/// other: a part is sent as soon as it is on the host, and goes to the device as soon as it has come.
std::unique_ptr<HaloExchange> make_staged_exchange(const ExchangeSetup& setup);

}  // namespace spmv
