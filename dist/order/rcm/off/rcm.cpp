// Stands in for Boost.Graph in a build without it.
#include "core/error.hpp"
#include "dist/order/find.hpp"

namespace spmv {

const char* const rcm_missing =
    "this build has no Boost.Graph: install Boost's headers and configure again, or use another order";

std::vector<lidx> order_by_rcm(const OwnGraph&, int) {
  throw Error(ExitCode::environment, rcm_missing);
}

}  // namespace spmv
