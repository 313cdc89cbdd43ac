// Stencils large enough for many rounds on a GPU: products that exchange do the boundary between the last of these, where
// smaller ones do it behind all.
#include <string>

#include <gtest/gtest.h>

#include "dist/modes.hpp"
#include "support/check_products.hpp"
#include "support/mode_layouts.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

class LargeStencils : public BackendsTest {};

// Whole lines, lines that end within a slice, and halos of a single line. A multiprocessor holds 32 warps, each of which
// multiplies 128 rows at a time: 1.6 million rows a rank are two rounds of 200 multiprocessors.
TEST_F(LargeStencils, BoundaryBetweenTheLastUnits) {
  const Communicator& communicator = world();
  const TestBackend& backend = product_backends().front();
  const auto transports = usable_transports(communicator, backend.make(communicator));
  const int planes = 100 * communicator.size();
  for (const std::string& matrix :
       {"stencil7:128,128," + std::to_string(planes), "stencil7:127,129," + std::to_string(planes),
        "stencil5:128," + std::to_string(128 * planes)}) {
    const auto problem = generated_problem<double>(communicator, matrix);
    for (const ModeLayout<double>& way : mode_layouts<double>()) {
      if (!way.mode->needs_queued_exchange) continue;
      for (const Transport* transport : transports) {
        SCOPED_TRACE(matrix + ", " + way.name() + ", " + transport->name);
        DistOptions options;
        options.layout = way.layout;
        options.format = options.nonlocal_format = "sell_packed";
        options.transport = transport->name;
        options.tune.options.threads_per_row = 1;
        check_products(communicator, problem, *way.mode, options, false, backend.make(communicator));
      }
    }
  }
}

}  // namespace
}  // namespace spmv::test
