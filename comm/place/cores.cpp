#include "comm/place/cores.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

namespace spmv {
namespace {

/// The kernel's own limit. cpu_set_t ends at 1024, which the kernel refuses on larger machines.
constexpr int most_cores = 8192;
using Mask = std::bitset<most_cores>;
/// A mask as the kernel takes it.
using KernelMask = std::array<cpu_set_t, most_cores / CPU_SETSIZE>;

Mask mask_of(const std::vector<int>& cores) {
  Mask mask;
  for (const int core : cores) mask.set(static_cast<std::size_t>(core));
  return mask;
}

/// The cores that this process was started on: the calling thread's affinity mask, or with OMP_PROC_BIND all places of OpenMP
/// together, because GNU's runtime has bound the calling thread to the first place before main().
Mask own_mask() {
  Mask mask;
  if (omp_get_proc_bind() != omp_proc_bind_false) {
    for (int place = 0; place < omp_get_num_places(); ++place) {
      std::vector<int> cores(static_cast<std::size_t>(omp_get_place_num_procs(place)));
      omp_get_place_proc_ids(place, cores.data());
      mask |= mask_of(cores);
    }
    if (mask.any()) return mask;
  }
  KernelMask told = {};
  if (sched_getaffinity(0, sizeof(told), told.data()) != 0) return mask;
  for (int core = 0; core < most_cores; ++core)
    mask[static_cast<std::size_t>(core)] = CPU_ISSET_S(core, sizeof(told), told.data());
  return mask;
}

std::vector<int> list(const Mask& mask) {
  std::vector<int> cores;
  for (int core = 0; core < most_cores; ++core)
    if (mask[static_cast<std::size_t>(core)]) cores.push_back(core);
  return cores;
}

/// A mask's share of the cores among the ranks of a machine.
struct Share {
  int ranks;     // whose masks overlap with it
  int per_rank;  // cores, at least 1
};

Share share_of(const Mask& mask, const std::vector<Mask>& masks) {
  const auto ranks = static_cast<int>(
      std::count_if(masks.begin(), masks.end(), [&](const Mask& other) { return (mask & other).any(); }));
  return {ranks, std::max(1, static_cast<int>(mask.count()) / std::max(1, ranks))};
}

/// A free core of `mask`, among those `near` if there is one; -1: all are taken. Each of the `ranks` that share
/// the cores starts its search at another place, by its number `nth` among them, from the last core down: neighbouring numbers
/// may be one physical core, where two communication threads would slow each other.
int pick_free(const Mask& mask, const Mask& near, const Mask& taken, int nth, int ranks) {
  for (const Mask& set : {mask & near, mask}) {
    std::vector<int> cores = list(set);
    const auto count = static_cast<int>(cores.size());
    std::rotate(cores.begin(), cores.end() - count * nth / ranks, cores.end());
    const auto free = std::find_if(cores.rbegin(), cores.rend(),
                                   [&](int core) { return !taken[static_cast<std::size_t>(core)]; });
    if (free != cores.rend()) return *free;
  }
  return -1;
}

}  // namespace

Cores find_cores(const Communicator& machine, const std::vector<int>& near) {
  const Mask mine = own_mask();
  const std::vector<Mask> masks = machine.all_gather(mine);
  const std::vector<Mask> near_masks = machine.all_gather(mask_of(near));
  // Every rank works out every rank's communication core, in the same order: no two get the same.
  Mask taken;
  Cores cores;
  for (std::size_t r = 0; r < masks.size(); ++r) {
    const Share share = share_of(masks[r], masks);
    const int nth = share_of(masks[r], {masks.begin(), masks.begin() + static_cast<offset>(r)}).ranks;
    const int comm_core =
        share.per_rank >= 2 ? pick_free(masks[r], near_masks[r], taken, nth, share.ranks) : -1;
    if (comm_core >= 0) taken.set(static_cast<std::size_t>(comm_core));
    if (static_cast<int>(r) != machine.rank()) continue;
    cores.sharing = share.ranks;
    cores.per_rank = share.per_rank;
    cores.comm_core = comm_core;
  }
  cores.all = list(mine);
  cores.compute = list(mine & ~taken);
  cores.far = !near.empty() && (mask_of(near) & mine).none();
  return cores;
}

std::string core_ranges(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cores[i]);
    if (last > i) text += fmt::format("-{}", cores[last]);
    i = last + 1;
  }
  return text;
}

void bind_to(const std::vector<int>& cores) {
  KernelMask mask = {};
  for (const int core : cores) CPU_SET_S(core, sizeof(mask), mask.data());
  sched_setaffinity(0, sizeof(mask), mask.data());
}

}  // namespace spmv
