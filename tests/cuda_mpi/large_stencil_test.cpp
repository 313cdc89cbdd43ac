// Stencils that take a GPU many rounds: products with an exchange multiply the boundary between the last
// units of the interior. In smaller products the boundary comes after all of them.
#include <string>

#include <gtest/gtest.h>

#include "support/exchanging_products.hpp"

namespace spmv::test {
namespace {

class LargeStencils : public BackendsTest {};

// Slices that hold whole grid lines, slices that cut them, and halos of a single line. A multiprocessor holds
// 32 warps, and a warp multiplies 128 rows at a time: 1.6 million rows per rank are two rounds of 200
// multiprocessors.
TEST_F(LargeStencils, BoundaryBetweenTheLastUnits) {
  const int planes = 100 * world().size();
  for (const std::string& matrix :
       {"stencil7:128,128," + std::to_string(planes), "stencil7:127,129," + std::to_string(planes),
        "stencil5:128," + std::to_string(128 * planes)})
    check_exchanging_products(matrix, generated_problem<double>(world(), matrix), "sell_packed", 1, true);
}

}  // namespace
}  // namespace spmv::test
