#include "comm/place/cores.hpp"

#include <algorithm>

#include <sched.h>

namespace spmv {
namespace {

cpu_set_t own_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof(mask), &mask);
  return mask;
}

std::vector<int> list(const cpu_set_t& mask) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

cpu_set_t mask_of(const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  return mask;
}

/// What a mask comes to among the ranks of a node.
struct Share {
  int ranks;     // whose masks overlap with it
  int per_rank;  // cores, at least 1
};

Share share_of(const cpu_set_t& mask, const std::vector<cpu_set_t>& masks) {
  int ranks = 0;
  for (const cpu_set_t& other : masks) {
    cpu_set_t common;
    CPU_AND(&common, &mask, &other);
    ranks += CPU_COUNT(&common) > 0;
  }
  return {ranks, std::max(1, CPU_COUNT(&mask) / std::max(1, ranks))};
}

/// A free core of `mask`, among those `near` if there is one; -1: all are taken. So many `ranks` share the
/// cores, and each one, by its `turn` among them, begins to look at another place, from the last core down:
/// two communication threads side by side may be on one physical core, and in each other's way.
int pick_free(const cpu_set_t& mask, const cpu_set_t& near, const cpu_set_t& taken, int turn, int ranks) {
  cpu_set_t near_ones;
  CPU_AND(&near_ones, &mask, &near);
  for (const cpu_set_t& set : {near_ones, mask}) {
    std::vector<int> cores = list(set);
    const auto count = static_cast<int>(cores.size());
    std::rotate(cores.begin(), cores.end() - count * turn / ranks, cores.end());
    const auto free =
        std::find_if(cores.rbegin(), cores.rend(), [&](int core) { return !CPU_ISSET(core, &taken); });
    if (free != cores.rend()) return *free;
  }
  return -1;
}

}  // namespace

Cores find_cores(const Communicator& node, const std::vector<int>& near) {
  const cpu_set_t mine = own_mask();
  const std::vector<cpu_set_t> masks = node.all_gather(mine);
  const std::vector<cpu_set_t> near_masks = node.all_gather(mask_of(near));
  // Every rank works out every rank's communication core, in the same order: no two get the same.
  cpu_set_t taken;
  CPU_ZERO(&taken);
  Cores cores;
  for (std::size_t r = 0; r < masks.size(); ++r) {
    const Share share = share_of(masks[r], masks);
    const int turn = share_of(masks[r], {masks.begin(), masks.begin() + static_cast<offset>(r)}).ranks;
    const int comm_core =
        share.per_rank >= 2 ? pick_free(masks[r], near_masks[r], taken, turn, share.ranks) : -1;
    if (comm_core >= 0) CPU_SET(comm_core, &taken);
    if (static_cast<int>(r) != node.rank()) continue;
    cores.sharing = share.ranks;
    cores.per_rank = share.per_rank;
    cores.comm_core = comm_core;
  }
  cores.all = list(mine);
  cores.compute.clear();
  for (const int core : cores.all)
    if (!CPU_ISSET(core, &taken)) cores.compute.push_back(core);
  cores.far = !near.empty() &&
              std::none_of(near.begin(), near.end(), [&](int core) { return CPU_ISSET(core, &mine); });
  return cores;
}

void bind_to(const std::vector<int>& cores) {
  const cpu_set_t mask = mask_of(cores);
  sched_setaffinity(0, sizeof(mask), &mask);
}

}  // namespace spmv
