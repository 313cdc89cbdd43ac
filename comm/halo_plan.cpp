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

HaloPlan for_columns(const HaloPlan& plan, int columns) {
  HaloPlan wide{plan.owned * columns, plan.ghosts * columns, plan.neighbours, {}};
  for (Neighbour& n : wide.neighbours)
    for (lidx* number : {&n.send_offset, &n.send_count, &n.receive_offset, &n.receive_count})
      *number *= columns;
  wide.send_index.reserve(plan.send_index.size() * static_cast<std::size_t>(columns));
  for (const lidx i : plan.send_index)
    for (int j = 0; j < columns; ++j) wide.send_index.push_back(i * columns + j);
  return wide;
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
