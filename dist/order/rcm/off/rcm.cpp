// Stands in for Boost.Graph in a build without it.
#include "dist/order/rcm/rcm.hpp"

#include "core/error.hpp"

namespace spmv {

const char* const rcm_missing =
    "this build has no Boost.Graph: install Boost's headers and configure again, or use another order";

std::vector<lidx> order_by_rcm(const OwnGraph&, int) {
  throw Error(ExitCode::environment, rcm_missing);
}

}  // namespace spmv
