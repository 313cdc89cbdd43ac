#include "comm/halo_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spmv {

HaloPlan keep_neighbours(HaloPlan plan, const std::vector<int>& ranks, bool inside) {
  auto& all = plan.neighbours;
  const auto unwanted = [&](const Neighbour& n) {
    return (std::find(ranks.begin(), ranks.end(), n.rank) != ranks.end()) != inside;
  };
  all.erase(std::remove_if(all.begin(), all.end(), unwanted), all.end());
  return plan;
}

std::string to_string(const HaloPlan& plan) {
  std::string text = fmt::format("{} owned, {} ghosts, {} to send, {} neighbours\n", plan.owned, plan.ghosts,
                                 plan.send_total(), plan.neighbours.size());
  for (const Neighbour& n : plan.neighbours)
    text += fmt::format("  rank {}: send {} from {}, receive {} at {}\n", n.rank, n.send_count, n.send_offset,
                        n.receive_count, n.receive_offset);
  return text;
}

}  // namespace spmv
