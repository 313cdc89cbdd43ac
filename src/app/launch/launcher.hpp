// What started this rank, and how to tell it to give ranks other cores.
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// Table row: a launcher, and the flags that fix what it did.
struct Launcher {
  const char* name;
  const char* variable;       // in the environment of the ranks that it starts: how many there are
  const char* rank_variable;  // likewise: which of them this is
  const char* no_binding;     // lets every rank use all cores of the node
  const char* several_cores;  // gives every rank two cores of its own
};

/// The launcher of this process; the last row of the table where there is none. Local.
const Launcher& find_launcher();

/// This rank's number as its launcher tells it, before MPI does; 0 where there is no launcher. Local.
int launched_rank();

/// How many ranks the launcher has started, as it tells them; 1 where there is no launcher. Local.
int launched_ranks();

/// A launcher that does not belong to the MPI library starts N programs that each believe to be alone. If
/// this process looks like one of them: the reason and the fix; otherwise empty. Local.
std::string why_singleton(const Communicator& communicator);

}  // namespace spmv
