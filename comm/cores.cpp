#include "comm/cores.hpp"

#include <algorithm>
#include <vector>

#include <sched.h>

namespace spmv {

Cores find_cores(const Communicator& node) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof(mine), &mine);
  const auto ranks = static_cast<std::size_t>(node.size());
  // Everyone sends its mask to everyone.
  std::vector<cpu_set_t> copies(ranks, mine);
  const auto masks = node.exchange(copies, std::vector<offset>(ranks, 1)).data;

  Cores cores;
  cores.usable = std::max(1, CPU_COUNT(&mine));
  cores.sharing = 0;
  int turn = 0;  // ranks below this one that share cores with it
  for (std::size_t r = 0; r < ranks; ++r) {
    cpu_set_t common;
    CPU_AND(&common, &mine, &masks[r]);
    if (CPU_COUNT(&common) == 0) continue;
    ++cores.sharing;
    if (static_cast<int>(r) < node.rank()) ++turn;
  }
  cores.sharing = std::max(1, cores.sharing);
  cores.per_rank = std::max(1, cores.usable / cores.sharing);
  if (cores.per_rank < 2) return cores;
  int to_skip = turn;
  for (int core = CPU_SETSIZE - 1; core >= 0 && cores.comm_core < 0; --core)
    if (CPU_ISSET(core, &mine) && to_skip-- == 0) cores.comm_core = core;
  return cores;
}

void bind_to_core(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  sched_setaffinity(0, sizeof(only), &only);
}

}  // namespace spmv
