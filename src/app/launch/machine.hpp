#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "comm/communicator.hpp"
#include "comm/place/cores.hpp"
#include "core/backend.hpp"

namespace spmv {

/// Where this rank runs.
struct Machine {
  std::shared_ptr<Backend> backend;
  Cores cores;
  int threads = 1;  // OpenMP threads of a rank when no communication thread needs a core
  int nodes = 1;
  std::string place;  // host name, device, cores: one line
  std::vector<std::string>
      warnings;  // about this launch, the same on every rank; complete sentences with the mend
};

/// Chooses the backend, checks MPI's thread level against the modes, counts cores. Sets the number of OpenMP
/// threads unless OMP_NUM_THREADS is set. Collective; throws AgreedError.
Machine find_machine(const Communicator& communicator, const Options& options);
/// The same, whatever the launcher and MPI are like: for those who examine them.
Machine look_at_machine(const Communicator& communicator, const Options& options);

}  // namespace spmv
