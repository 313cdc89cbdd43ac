// Grouped sends and receives of NCCL on a queue: the GPUs move the halo, the host only queues. One GPU for
// each rank.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// Seconds that NCCL may need to connect the ranks: about one on one node; clusters were seen to need over
/// ten.
inline constexpr int nccl_start_s = 20;
/// What it usually takes.
inline constexpr double nccl_usual_start_s = 2;
/// See Transport::why_unusable and Transport::make.
std::string why_no_nccl(const ExchangeSetup& setup);
std::unique_ptr<HaloExchange> make_nccl_exchange(const ExchangeSetup& setup);

}  // namespace spmv
