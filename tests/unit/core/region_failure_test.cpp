// An exception in a parallel region is thrown after the region, and only then.
#include "core/region_failure.hpp"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

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
    FAIL() << "no error was thrown";
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

TEST(ForAll, DoesEachOnceWithAScratchOfItsThread) {
  struct Scratch {
    int users = 0;  // would exceed one if it were shared
  };
  std::vector<std::atomic<int>> done(1000);
  std::atomic<bool> alone = true;
  for_all<Scratch>(offset{1000}, [&](offset i, Scratch& scratch) {
    if (++scratch.users != 1) alone = false;
    ++done[static_cast<std::size_t>(i)];
    if (--scratch.users != 0) alone = false;
  });
  EXPECT_TRUE(alone);
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
}

TEST(ForAll, ThrowsBehindTheRegionWhatAWorkThrew) {
  EXPECT_THROW(for_all<int>(offset{100},
                            [](offset i, int&) {
                              if (i == 71) throw std::bad_alloc();
                            }),
               std::bad_alloc);
}

}  // namespace
}  // namespace spmv
