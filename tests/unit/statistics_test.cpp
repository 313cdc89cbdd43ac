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

}  // namespace
}  // namespace spmv::test
