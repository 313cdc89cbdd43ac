// Stands in for PT-Scotch in a build without it.
#include "dist/partition/assign.hpp"

namespace spmv {

const char* const scotch_missing =
    "this build has no PT-Scotch: configure with -DSPMV_SCOTCH=ON, and with -DScotch_ROOT=DIR where it lies in a "
    "place of its own, or use another partitioner";

Assignment assign_by_scotch(const Communicator&, const Pattern&, const PartitionRequest&) {
  throw AgreedError(ExitCode::environment, scotch_missing);
}

}  // namespace spmv
