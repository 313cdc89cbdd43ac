// A halo plan with given message sizes.
#pragma once

#include <cstddef>

#include "comm/halo_plan.hpp"
#include "core/types.hpp"

namespace spmv::test {

/// The plan of rank `me`, where rank s sends counts(s, t, ranks) elements to rank t. Every send gathers
/// element 0. Pure.
template <class Counts>
HaloPlan plan_of_counts(const Counts& counts, int me, int ranks) {
  HaloPlan plan;
  lidx send = 0;
  for (int r = 0; r < ranks; ++r) {
    const lidx out = r == me ? 0 : counts(me, r, ranks);
    const lidx in = r == me ? 0 : counts(r, me, ranks);
    if (out > 0 || in > 0) plan.neighbours.push_back({r, send, out, plan.ghosts, in});
    send += out;
    plan.ghosts += in;
  }
  plan.send_index.assign(static_cast<std::size_t>(send), 0);
  return plan;
}

}  // namespace spmv::test
