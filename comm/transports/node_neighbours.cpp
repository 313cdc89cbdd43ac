#include "comm/transports/node_neighbours.hpp"

#include <algorithm>

namespace spmv {

std::vector<int> ranks_of_node(const ExchangeSetup& setup) {
  return setup.node.all_gather(setup.communicator.rank());
}

std::optional<NeighbourElsewhere> find_neighbour_elsewhere(const ExchangeSetup& setup) {
  const std::vector<int> here = ranks_of_node(setup);
  const gidx ranks = setup.communicator.size();
  gidx first = ranks * ranks;  // rank * ranks + neighbour
  for (const Neighbour& n : setup.plan->neighbours)
    if (std::find(here.begin(), here.end(), n.rank) == here.end())
      first = std::min(first, setup.communicator.rank() * ranks + n.rank);
  first = setup.communicator.min(first);
  if (first == ranks * ranks) return std::nullopt;
  return NeighbourElsewhere{static_cast<int>(first / ranks), static_cast<int>(first % ranks)};
}

}  // namespace spmv
