// A failure in a parallel region is thrown behind it, and only there.
#include "core/region_failure.hpp"

#include <atomic>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/types.hpp"

namespace spmv {
namespace {

TEST(RegionFailure, ThrowsWhatAThreadThrew) {
  RegionFailure failure;
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (offset i = 0; i < 16; ++i)
    failure.guard([&] {
      if (i == 11) throw std::bad_alloc();
    });
  EXPECT_THROW(failure.rethrow(), std::bad_alloc);
}

TEST(RegionFailure, KeepsTheFirstAndLeavesOutWhatWouldFollow) {
  RegionFailure failure;
  int done = 0;
  failure.guard([&] { ++done; });
  failure.guard([] { throw std::runtime_error("first"); });
  failure.guard([&] { ++done; });
  failure.guard([] { throw std::runtime_error("second"); });
  EXPECT_EQ(done, 1);
  try {
    failure.rethrow();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "first");
  }
}

TEST(RegionFailure, ThrowsOneOfManyWhereAllThreadsFail) {
  RegionFailure failure;
#pragma omp parallel num_threads(4)
  failure.guard([] { throw std::bad_alloc(); });
  EXPECT_THROW(failure.rethrow(), std::bad_alloc);
}

TEST(RegionFailure, ThrowsNothingWhereAllWorkIsDone) {
  RegionFailure failure;
  std::atomic<int> done = 0;
#pragma omp parallel for num_threads(4)
  for (offset i = 0; i < 100; ++i) failure.guard([&] { ++done; });
  EXPECT_NO_THROW(failure.rethrow());
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace spmv
