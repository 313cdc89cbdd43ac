#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/backend.hpp"

namespace spmv::test {

/// A test that needs a GPU. Without one it is skipped with the reason, or fails if SPMV_REQUIRE_GPU=1.
template <class T>
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = why_no_cuda();
    const char* required = std::getenv("SPMV_REQUIRE_GPU");
    if (reason.empty())
      backend_ = make_cuda_backend(DeviceRequest{});
    else if (required != nullptr && std::string(required) == "1")
      FAIL() << reason;
    else
      GTEST_SKIP() << reason;
  }
  std::shared_ptr<Backend> backend_;
};

}  // namespace spmv::test
