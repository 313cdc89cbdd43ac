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

/// Checks a matrix in every layout of the modes whose products exchange, over every transport.
void check_exchanging_products(const std::string& matrix, const std::string& format, int threads_per_row) {
  const Communicator& communicator = world();
  const TestBackend& backend = product_backends().front();
  const auto transports = usable_transports(communicator, backend.make(communicator));
  const auto problem = generated_problem<double>(communicator, matrix);
  for (const ModeLayout<double>& way : mode_layouts<double>()) {
    if (!way.mode->needs_queued_exchange) continue;
    for (const Transport* transport : transports) {
      SCOPED_TRACE(matrix + ", " + format + ", " + way.name() + ", " + transport->name);
      DistOptions options;
      options.layout = way.layout;
      options.format = options.nonlocal_format = format;
      options.transport = transport->name;
      options.tune.options.threads_per_row = threads_per_row;
      check_products(communicator, problem, *way.mode, options, false, backend.make(communicator));
    }
  }
}

// Whole lines, lines that end within a slice, and halos of a single line. A multiprocessor holds 32 warps, each of which
// multiplies 128 rows at a time: 1.6 million rows a rank are two rounds of 200 multiprocessors.
TEST_F(LargeStencils, BoundaryBetweenTheLastUnits) {
  const int planes = 100 * world().size();
  for (const std::string& matrix :
       {"stencil7:128,128," + std::to_string(planes), "stencil7:127,129," + std::to_string(planes),
        "stencil5:128," + std::to_string(128 * planes)})
    check_exchanging_products(matrix, "sell_packed", 1);
}

// Tiles of the interior that are streamed, beside boundary tiles that are or are not.
TEST_F(LargeStencils, BoundaryBehindStreamedTiles) {
  const std::string ranks = std::to_string(40 * world().size());
  check_exchanging_products("stencil27:64,64," + ranks, "csr", 0);
  check_exchanging_products("stencil27:160,160," + ranks, "csr", 0);
  check_exchanging_products("stencil7:96,96," + ranks, "csr_packed", 0);
}

}  // namespace
}  // namespace spmv::test
