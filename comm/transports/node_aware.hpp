// Two transports at the same time: the best one within a node for the neighbours on this rank's node, and the
// best one between nodes for the others. If only one of them is needed on all ranks, it is used by itself.
#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// See Transport::make.
std::unique_ptr<HaloExchange> make_node_aware_exchange(const ExchangeSetup& setup);

}  // namespace spmv
