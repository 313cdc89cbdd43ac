#pragma once

#include "comm/communicator.hpp"

namespace spmv {

/// Which cores a rank may count on.
struct Cores {
  int usable = 1;      // cores in this process's affinity mask
  int sharing = 1;     // ranks of the node, this one included, whose masks overlap with this one's
  int per_rank = 1;    // usable / sharing, at least 1: compute and communication threads together
  int comm_core = -1;  // the core for the communication thread, or -1 where a rank has only one core
};

/// Collective on the ranks of one node. Ranks with overlapping masks get different comm cores.
Cores find_cores(const Communicator& node);

/// Binds the calling thread to one core. Local.
void bind_to_core(int core);

}  // namespace spmv
