#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "support/product_backends.hpp"

namespace spmv::test {

/// All ranks of this run, shared by all tests, because objects are attached to it. Defined in main_mpi.cpp,
/// which fails a test that leaves a message unreceived: another test might receive it. Local.
const Communicator& world();

/// A test on the binary's backends. Without the GPU that they need it is skipped with the reason, or fails if
/// SPMV_REQUIRE_GPU=1.
class BackendsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = why_no_product_backends();
    if (reason.empty()) return;
    const char* required = std::getenv("SPMV_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL() << reason;
    GTEST_SKIP() << reason;
  }
};

}  // namespace spmv::test
