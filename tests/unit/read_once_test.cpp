#include "kernels/parts/read_once.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/csr.hpp"
#include "core/pick.hpp"
#include "kernels/format.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/row_threads.hpp"
#include "kernels/tune/prediction.hpp"

namespace spmv {
namespace {

constexpr double cache = 50e6;

TEST(ReadOnce, ACacheKeepsWhatFindsRoomBesideTheVectors) {
  EXPECT_EQ(share_to_keep(cache, 10e6, 1e6), 1) << "all";
  EXPECT_EQ(share_to_keep(cache, 59e6, 0), 0.5F) << "30 of 59 MB, rounded down";
  EXPECT_EQ(share_to_keep(cache, 60e6, 7e6), 0.25F) << "x and y take twice their bytes";
  EXPECT_EQ(share_to_keep(cache, 10e6, 15e6), 0) << "they take all";
  EXPECT_EQ(share_to_keep(cache, 10e6, 40e6), 0);
  EXPECT_EQ(share_to_keep(0, 10e6, 0), 0) << "a host";
  EXPECT_EQ(share_to_keep(cache, 0, 0), 0);
}

TEST(ReadOnce, SharesAreSixteenths) {
  EXPECT_EQ(share_to_keep(cache, 61e6, 0), 7.0F / 16) << "rounded down: more would push itself out";
  EXPECT_EQ(share_to_keep(cache, 481e6, 0), 0);
  EXPECT_EQ(share_to_keep(cache, 479e6, 0), 1.0F / 16);
}

// By the built-in paces, where nothing but bytes takes time.
TEST(ReadOnce, WhatACacheKeepsIsPredictedToTakeLess) {
  Analysis a;
  a.value_bytes = sizeof(double);
  const auto seconds = [&a](double moved_bytes, double cache_bytes) {
    Cost cost;
    cost.moved_bytes = moved_bytes;
    const Device device{false, 3e12, 16, nullptr, cache_bytes};
    return predict(pick(formats<double>(), "csr_vector", "format"), cost, {}, a, device);
  };
  constexpr double launch_s = 1.5e-6;
  EXPECT_NEAR(seconds(60e6, 0).seconds, launch_s + 20e-6, 1e-12);
  const Prediction kept = seconds(59e6, cache), none = seconds(59e6, 0);
  EXPECT_LE(kept.seconds, none.seconds);
  EXPECT_NEAR((none.at_least - kept.at_least) / (none.at_least - launch_s), 0.5 * (1 - 1 / 1.6), 1e-9)
      << "half of the bytes come at the cache's speed, 1.6 times a copy's";
}

TEST(ReadOnce, ThreadsOfARowFillAGpuWithoutSharingTooFine) {
  EXPECT_EQ(side_by_side_threads_per_row(300'000, 30'000'000), 1) << "rows enough";
  EXPECT_EQ(side_by_side_threads_per_row(150'000, 6'000'000), 2);
  EXPECT_EQ(side_by_side_threads_per_row(47'000, 3'500'000), 2) << "four would be too many";
  EXPECT_EQ(side_by_side_threads_per_row(21'000, 800'000), 4);
  EXPECT_EQ(side_by_side_threads_per_row(21'000, 100'000), 1) << "five elements a row are one thread's";
  EXPECT_EQ(packed_threads_per_row(100, 100'000, 1), 16) << "no more warps than a thread block has";
}

TEST(ReadOnce, SmallThreadBlocksForBlocksOfEntries) {
  EXPECT_EQ(packed_block_threads(8, 15'000, 3), 128);
  EXPECT_EQ(packed_block_threads(8, 7000, 3), 256) << "few slices: more warps for each";
  EXPECT_EQ(packed_block_threads(4, 7000, 1), 128);
  EXPECT_EQ(packed_block_threads(8, 15'000, 1), 256) << "more warps than a small block has";
}

}  // namespace
}  // namespace spmv
