#pragma once

#include <memory>
#include <vector>

#include "comm/halo_exchange.hpp"

namespace spmv::test {

/// The transports that work here with this setup. Collective.
inline std::vector<const Transport*> usable_transports(const ExchangeSetup& setup) {
  std::vector<const Transport*> usable;
  for (const Transport& transport : transports())
    if (transport.why_unusable(setup).empty()) usable.push_back(&transport);
  return usable;
}

/// The transports that work for products on this backend if every rank may be every other's neighbour.
/// Collective.
inline std::vector<const Transport*> usable_transports(const Communicator& communicator,
                                                       const std::shared_ptr<Backend>& backend) {
  HaloPlan plan;
  for (int rank = 0; rank < communicator.size(); ++rank)
    if (rank != communicator.rank()) plan.neighbours.push_back({rank, 0, 1, 0, 1});
  plan.ghosts = 1;
  plan.send_index = {0};
  return usable_transports(
      {communicator, communicator.node(), std::make_shared<const HaloPlan>(plan), backend, sizeof(double)});
}

}  // namespace spmv::test
