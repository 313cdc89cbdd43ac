// Merges two measurements of one partition.
#include "app/report/partitions_report.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

PartitionOutlook look(double seconds, double setup_s, gidx rows_wrong) {
  PartitionOutlook outlook;
  outlook.partitioner = "rows";
  outlook.mode = "task";
  outlook.seconds = seconds;
  outlook.setup_s = setup_s;
  outlook.measured_s = 1e-3;
  outlook.rows_wrong = rows_wrong;
  return outlook;
}

TEST(KeepLeast, EitherTimeComesFromTheLookThatWasShorter) {
  PartitionOutlook outlook = look(0.3, 0.1, 0);
  PartitionOutlook again = look(0.2, 0.4, 0);
  again.mode = "vector";
  again.measured_s = 0.5e-3;
  keep_least(outlook, again);
  EXPECT_EQ(outlook.seconds, 0.2);
  EXPECT_EQ(outlook.setup_s, 0.1);
  EXPECT_EQ(outlook.mode, "task") << "products were measured in the first look";
  EXPECT_EQ(outlook.measured_s, 1e-3);
}

TEST(KeepLeast, WhatWasWrongOnceStaysWrong) {
  PartitionOutlook first = look(0.3, 0.1, 7);
  keep_least(first, look(0.2, 0.2, 0));
  EXPECT_EQ(first.rows_wrong, 7);
  PartitionOutlook second = look(0.3, 0.1, 0);
  keep_least(second, look(0.4, 0.2, 5));
  EXPECT_EQ(second.rows_wrong, 5);
}

// A refused measurement has zeros for times, which must not count as the shortest.
TEST(KeepLeast, ASecondLookThatIsRefusedChangesNoTime) {
  PartitionOutlook outlook = look(0.3, 0.1, 0);
  PartitionOutlook again;
  again.refused = "too little memory";
  keep_least(outlook, again);
  EXPECT_EQ(outlook.seconds, 0.3);
  EXPECT_EQ(outlook.setup_s, 0.1);
  EXPECT_TRUE(outlook.refused.empty());
}

}  // namespace
}  // namespace spmv::test
