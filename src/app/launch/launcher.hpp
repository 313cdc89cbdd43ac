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

/// The launcher of this process; the last row of the table if there is none. Local.
const Launcher& find_launcher();

/// This rank's number from the launcher's environment, known before MPI starts; 0 without a launcher. Local.
int launched_rank();

/// The number of ranks from the launcher's environment; 1 without a launcher. Local.
int launched_ranks();

/// A launcher that does not belong to the MPI library starts N programs of one rank each. The reason and the fix if this
/// process looks like one of them, else empty. Local.
std::string why_singleton(const Communicator& communicator);

}  // namespace spmv
