// Which neighbours share this rank's node.
#pragma once

#include <optional>
#include <vector>

#include "comm/halo_exchange.hpp"

namespace spmv {

/// Element r is the rank in setup.communicator of rank r of setup.node. Collective.
std::vector<int> ranks_of_node(const ExchangeSetup& setup);

/// Two neighbours on different nodes.
struct NeighbourElsewhere {
  int rank;
  int neighbour;
};

/// The first such pair of all ranks, the same on every rank; nothing where all neighbours share a node.
/// Collective.
std::optional<NeighbourElsewhere> find_neighbour_elsewhere(const ExchangeSetup& setup);

}  // namespace spmv
