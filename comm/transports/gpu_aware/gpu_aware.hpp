// Device pointers straight to MPI, which finds the way itself: through NVLink, through the network card, or
// through host memory of its own.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::why_unusable and Transport::make.
std::string why_no_gpu_aware(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_gpu_aware_exchange(const ExchangeSetup& setup);

}  // namespace spmv
