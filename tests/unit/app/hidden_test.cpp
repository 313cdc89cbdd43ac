#include <gtest/gtest.h>

#include "app/report/report_words.hpp"

namespace spmv::test {
namespace {

TEST(Hidden, IsKnownWhereTheHaloTakesLongerThanTheMedianIsUnsureBy) {
  const auto share = [](offset halo, double low, double high, double alone) {
    RunReport report;
    report.partition.halo_total = halo;
    ModeResult mode;
    mode.median_low_s = low;
    mode.median_high_s = high;
    mode.halo_alone_s = alone;
    mode.hidden_share = 0.25;
    return hidden_share(report, mode);
  };
  EXPECT_EQ(share(9, 9e-6, 11e-6, 3e-6), 0.25);
  EXPECT_FALSE(share(0, 9e-6, 11e-6, 3e-6)) << "no halo, as on one rank";
  EXPECT_FALSE(share(9, 9e-6, 11e-6, 1e-6)) << "the halo's time is within the median's uncertainty";
  EXPECT_FALSE(share(9, 1e-6, 1e-6, 0)) << "the halo took no time";
}

}  // namespace
}  // namespace spmv::test
