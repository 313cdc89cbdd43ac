#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/backend.hpp"

namespace spmv::test {

/// Table row: a backend that products are tested on.
struct TestBackend {
  const char* name;
  std::shared_ptr<Backend> (*make)(const Communicator& communicator);
};

/// Defined once in each binary: mpi/product_backends.cpp, cuda_mpi/product_backends.cpp.
const std::vector<TestBackend>& product_backends();

/// Why the table's backends cannot be used here; empty if they can.
std::string why_no_product_backends();

}  // namespace spmv::test
