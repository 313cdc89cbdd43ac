// Stencils large enough for many rounds on a GPU: products that exchange do the boundary between the last of these, where
// smaller ones do it behind all.
#include <string>

#include <gtest/gtest.h>

#include "support/exchanging_products.hpp"

namespace spmv::test {
namespace {

class LargeStencils : public BackendsTest {};

// Whole lines, lines that end within a slice, and halos of a single line. A multiprocessor holds 32 warps, each of which
// multiplies 128 rows at a time: 1.6 million rows a rank are two rounds of 200 multiprocessors.
TEST_F(LargeStencils, BoundaryBetweenTheLastUnits) {
  const int planes = 100 * world().size();
  for (const std::string& matrix :
       {"stencil7:128,128," + std::to_string(planes), "stencil7:127,129," + std::to_string(planes),
        "stencil5:128," + std::to_string(128 * planes)})
    check_exchanging_products(matrix, generated_problem<double>(world(), matrix), "sell_packed", 1, true);
}

}  // namespace
}  // namespace spmv::test
