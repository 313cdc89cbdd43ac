#include "comm/cores.hpp"

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

/// One element of every rank on every rank.
template <class V>
std::vector<V> from_all(const Communicator& node, const V& mine) {
  const auto ranks = static_cast<std::size_t>(node.size());
  return node.exchange(std::vector<V>(ranks, mine), std::vector<offset>(ranks, 1)).data;
}

}  // namespace

Cores find_cores(const Communicator& node) {
  const cpu_set_t mine = own_mask();
  const std::vector<cpu_set_t> masks = from_all(node, mine);
  Cores cores;
  cores.all = list(mine);
  cores.sharing = 0;
  std::size_t turn = 0;  // ranks below this one that share cores with it
  for (std::size_t r = 0; r < masks.size(); ++r) {
    cpu_set_t common;
    CPU_AND(&common, &mine, &masks[r]);
    if (CPU_COUNT(&common) == 0) continue;
    ++cores.sharing;
    if (static_cast<int>(r) < node.rank()) ++turn;
  }
  cores.per_rank = std::max(1, static_cast<int>(cores.all.size()) / std::max(1, cores.sharing));
  if (cores.per_rank >= 2) cores.comm_core = cores.all[cores.all.size() - 1 - turn];
  const std::vector<int> taken = from_all(node, cores.comm_core);
  cores.compute.clear();
  for (const int core : cores.all)
    if (std::find(taken.begin(), taken.end(), core) == taken.end()) cores.compute.push_back(core);
  return cores;
}

void bind_to(const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  sched_setaffinity(0, sizeof(mask), &mask);
}

}  // namespace spmv
