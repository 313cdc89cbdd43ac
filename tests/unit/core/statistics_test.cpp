#include "core/statistics.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(Statistics, MedianOfAnyOrder) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({7}), 7);
}

TEST(Statistics, NothingMeasured) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(quantile({}, 0.95), 0);
}

TEST(Statistics, QuantilesOfAHundredAndOne) {
  std::vector<double> sample;
  for (int i = 100; i >= 0; --i) sample.push_back(i);
  EXPECT_EQ(quantile(sample, 0), 0);
  EXPECT_EQ(quantile(sample, 0.5), 50);
  EXPECT_EQ(quantile(sample, 0.95), 95);
  EXPECT_EQ(quantile(sample, 1), 100);
}

/// n, n - 1, ..., 1.
std::vector<double> down_from(int n) {
  std::vector<double> sample;
  for (int i = n; i >= 1; --i) sample.push_back(i);
  return sample;
}

// Which elements of a sorted sample bound the interval; from tables of the sign test.
TEST(Statistics, IntervalsOfTheMedian) {
  struct Case {
    int n, low, high;
  };
  for (const Case& c : {Case{1, 1, 1},
                        {2, 1, 2},
                        {5, 1, 5},
                        {6, 1, 6},
                        {10, 2, 9},
                        {20, 6, 15},
                        {21, 6, 16},
                        {100, 40, 61},
                        {1000, 469, 532}}) {
    const MedianInterval interval = median_interval(down_from(c.n));
    EXPECT_EQ(interval.low, c.low) << c.n;
    EXPECT_EQ(interval.high, c.high) << c.n;
  }
  EXPECT_EQ(median_interval({}).low, 0);
  EXPECT_EQ(median_interval({}).high, 0);
}

TEST(Statistics, TheIntervalOfALargeSampleIsNarrow) {
  const MedianInterval interval = median_interval(down_from(100000));
  EXPECT_NEAR(interval.low, 50000 - 310, 2);
  EXPECT_NEAR(interval.high, 50001 + 310, 2);
}

}  // namespace
}  // namespace spmv::test
