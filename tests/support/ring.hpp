#pragma once

#include <memory>

#include "comm/halo_exchange.hpp"
#include "support/product_backends.hpp"

namespace spmv::test {

/// All ranks in a ring; each exchanges `count` doubles with both neighbours. Collective.
inline ExchangeSetup ring(const Communicator& all, const TestBackend& backend, lidx count) {
  const int me = all.rank(), ranks = all.size();
  HaloPlan plan;
  for (int r = 0; r < ranks; ++r) {
    if (r == me || (r != (me + 1) % ranks && me != (r + 1) % ranks)) continue;
    plan.neighbours.push_back({r, plan.send_total(), count, plan.ghosts, count});
    plan.ghosts += count;
    plan.send_index.resize(static_cast<std::size_t>(plan.ghosts), 0);
  }
  plan.owned = count;
  return {all, all.node(), std::make_shared<const HaloPlan>(plan), backend.make(all), sizeof(double)};
}

}  // namespace spmv::test
