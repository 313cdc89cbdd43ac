#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"

namespace spmv::test {

/// The matrix as `mode` needs it, or nullptr where the transport cannot do what the mode asks of it: then it
/// must have been refused as a wrong combination. Collective.
template <class T>
std::unique_ptr<DistMatrix<T>> make_matrix(const Communicator& communicator, const DistributedRows<T>& rows,
                                           const Mode<T>& mode, DistOptions options,
                                           const std::shared_ptr<Backend>& backend) {
  options.needs_queued_exchange = mode.needs_queued_exchange;
  try {
    return std::make_unique<DistMatrix<T>>(communicator, rows, options, backend);
  } catch (const AgreedError& error) {
    if (!mode.needs_queued_exchange) throw;
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return nullptr;
  }
}

}  // namespace spmv::test
