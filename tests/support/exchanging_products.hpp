// Products with a halo exchange: in every layout of the modes that exchange, over every transport.
#pragma once

#include <string>

#include "dist/modes.hpp"
#include "support/check_products.hpp"
#include "support/make_matrix.hpp"
#include "support/mode_layouts.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {

/// Whether a matrix with these options runs as one kernel together with its exchange.
template <class T>
bool is_one_kernel(const Problem<T>& problem, const Mode<T>& mode, const DistOptions& options,
                   const std::shared_ptr<Backend>& backend) {
  const auto matrix = make_matrix(world(), problem.rows, mode, options, backend);
  return matrix && matrix->fuses();
}

/// The same options with sell, which can always be one kernel.
inline DistOptions like_sell(DistOptions options) {
  options.format = options.nonlocal_format = "sell";
  return options;
}

/// `one_kernel`: interior and boundary must be one kernel wherever those of sell are.
template <class T>
void check_exchanging_products(const std::string& name, const Problem<T>& problem, const std::string& format,
                               int threads_per_row, bool one_kernel) {
  const Communicator& communicator = world();
  const TestBackend& backend = product_backends().front();
  for (const ModeLayout<T>& way : mode_layouts<T>()) {
    if (!way.mode->needs_queued_exchange) continue;
    for (const Transport* transport : usable_transports(communicator, backend.make(communicator))) {
      SCOPED_TRACE(name + ", " + format + ", " + way.name() + ", " + transport->name);
      DistOptions options;
      options.layout = way.layout;
      options.format = options.nonlocal_format = format;
      options.transport = transport->name;
      options.tune.options.threads_per_row = threads_per_row;
      check_products(communicator, problem, *way.mode, options, false, backend.make(communicator));
      if (!one_kernel || !is_one_kernel(problem, *way.mode, like_sell(options), backend.make(communicator)))
        continue;
      EXPECT_TRUE(is_one_kernel(problem, *way.mode, options, backend.make(communicator)));
    }
  }
}

}  // namespace spmv::test
