#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace spmv {

/// Which cores a rank may count on.
struct Cores {
  std::vector<int> all{0};      // own_cores()
  std::vector<int> compute{0};  // the same without any communication thread's core
  int sharing = 1;     // ranks of the machine, this one included, whose masks overlap with this one's
  int per_rank = 1;    // cores in `all` / sharing, at least 1: for all threads of the rank
  int comm_core = -1;  // for the communication thread, or -1 where a rank has only one core
  bool far = false;    // no core in `all` lies near the device
};

/// The numbers of the cores that this process was started on; none where the system does not tell. Those of the calling thread's
/// affinity mask, but where the OpenMP runtime is told to bind threads (OMP_PROC_BIND): GNU's has bound the calling one to the
/// first of its places before main() began, and all places together are those of the process, or what OMP_PLACES
/// leaves of them. Local.
std::vector<int> own_cores();

/// Ascending numbers of cores as ranges, such as 0-3,8. Pure.
std::string core_ranges(const std::vector<int>& cores);

/// Ranks with overlapping masks get different comm cores: of the cores `near` this rank's device
/// (cores_near()) while one of them is free, else any. An empty `near` means that all are as good. Collective
/// on the ranks of one machine, see ranks_of_machine().
Cores find_cores(const Communicator& machine, const std::vector<int>& near = {});

/// Binds the calling thread to some cores. Local. Where the system refuses, the thread stays where it was:
/// slower, never wrong.
void bind_to(const std::vector<int>& cores);

}  // namespace spmv
