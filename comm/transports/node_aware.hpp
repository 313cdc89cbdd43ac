#pragma once

#include <memory>
#include <string>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// Two transports at the same time: the best one between ranks of a node for the neighbours on this rank's node,
/// and the best one between nodes for the others.
std::unique_ptr<HaloExchange> make_node_aware_exchange(const ExchangeSetup& setup);

}  // namespace spmv
