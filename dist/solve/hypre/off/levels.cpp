#include "dist/solve/hypre/levels.hpp"

namespace spmv::hypre {

bool is_there() {
  return false;
}

std::vector<CoarseLevel<double>> make_levels(const Communicator&, const DistributedRows<double>&,
                                             const LevelOptions&) {
  throw AgreedError(ExitCode::environment,
                    "this build has no hypre, which makes the levels of preconditioner multigrid");
}

}  // namespace spmv::hypre
