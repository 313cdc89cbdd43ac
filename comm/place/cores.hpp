#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace spmv {

/// Which cores a rank may count on.
struct Cores {
  std::vector<int> all{0};      // that this process was started on; empty if the system does not tell
  std::vector<int> compute{0};  // the same without any communication thread's core
  int sharing = 1;     // ranks of the machine, this one included, whose masks overlap with this one's
  int per_rank = 1;    // cores in `all` / sharing, at least 1: for all threads of the rank
  int comm_core = -1;  // for the communication thread, or -1 where a rank has only one core
  bool far = false;    // no core in `all` lies near the device
};

/// Ascending numbers of cores as ranges, such as 0-3,8. Pure.
std::string core_ranges(const std::vector<int>& cores);

/// Ranks with overlapping masks get different comm cores: free ones `near` this rank's device (cores_near()) if
/// there are any, else any free ones. An empty `near` prefers none. Collective on the ranks of one machine, see
/// ranks_of_machine().
Cores find_cores(const Communicator& machine, const std::vector<int>& near = {});

/// Binds the calling thread to some cores. If the system refuses, the thread stays unbound: slower, never
/// wrong. Local.
void bind_to(const std::vector<int>& cores);

}  // namespace spmv
