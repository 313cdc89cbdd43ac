#include "dist/prepare/halo_plan_builder.hpp"

namespace spmv {

HaloPlan build_halo_plan(const Communicator& communicator, const RowPartition& cols,
                         const std::vector<gidx>& ghosts) {
  const std::vector<offset> needed = cols.count_by_owner(ghosts);
  const auto wanted = communicator.all_to_all(ghosts, needed);

  HaloPlan plan;
  const gidx first = cols.first(communicator.rank());
  plan.owned = static_cast<lidx>(cols.count(communicator.rank()));
  plan.ghosts = static_cast<lidx>(ghosts.size());
  plan.send_index.reserve(wanted.data.size());
  for (const gidx id : wanted.data) plan.send_index.push_back(static_cast<lidx>(id - first));
  lidx send_offset = 0, receive_offset = 0;
  for (std::size_t r = 0; r < needed.size(); ++r) {
    const auto send_count = static_cast<lidx>(wanted.counts[r]);
    const auto receive_count = static_cast<lidx>(needed[r]);
    if (send_count > 0 || receive_count > 0)
      plan.neighbours.push_back(
          {static_cast<int>(r), send_offset, send_count, receive_offset, receive_count});
    send_offset += send_count;
    receive_offset += receive_count;
  }
  return plan;
}

HaloPlan renumber(HaloPlan plan, const std::vector<lidx>& position) {
  if (position.empty()) return plan;
  for (lidx& index : plan.send_index) index = position[static_cast<std::size_t>(index)];
  return plan;
}

}  // namespace spmv
