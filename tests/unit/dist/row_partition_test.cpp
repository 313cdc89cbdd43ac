#include "dist/row_partition.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(RowPartition, EvenSizesDifferByOneAtMost) {
  const RowPartition p = RowPartition::even(11, 4);
  EXPECT_EQ(p.ranks(), 4);
  EXPECT_EQ(p.total(), 11);
  EXPECT_EQ((std::vector<gidx>{p.count(0), p.count(1), p.count(2), p.count(3)}),
            (std::vector<gidx>{3, 3, 3, 2}));
}

TEST(RowPartition, MoreRanksThanRows) {
  const RowPartition p = RowPartition::even(2, 5);
  EXPECT_EQ(p.count(1), 1);
  EXPECT_EQ(p.count(2), 0);
  EXPECT_EQ(p.count(4), 0);
  EXPECT_EQ(p.owner(1), 1);
}

TEST(RowPartition, OwnerSkipsRanksThatOwnNothing) {
  const RowPartition p = RowPartition::from_counts({0, 3, 0, 0, 2, 0});
  for (const gidx id : {0, 1, 2}) EXPECT_EQ(p.owner(id), 1);
  for (const gidx id : {3, 4}) EXPECT_EQ(p.owner(id), 4);
  for (int r = 0; r < p.ranks(); ++r)
    for (gidx id = p.first(r); id < p.first(r + 1); ++id) EXPECT_EQ(p.owner(id), r);
}

TEST(RowPartition, CountsIdsByOwner) {
  const RowPartition p = RowPartition::from_counts({0, 3, 0, 2});
  EXPECT_EQ(p.count_by_owner({0, 2, 2, 3}), (std::vector<offset>{0, 3, 0, 1}));
  EXPECT_EQ(p.count_by_owner({}), (std::vector<offset>{0, 0, 0, 0}));
}

TEST(RowPartition, NoRows) {
  const RowPartition p = RowPartition::even(0, 3);
  EXPECT_EQ(p.total(), 0);
  for (int r = 0; r < 3; ++r) EXPECT_EQ(p.count(r), 0);
}

TEST(RowPartition, Beyond32Bits) {
  const gidx total = (gidx{1} << 40) + 3;
  const RowPartition p = RowPartition::even(total, 7);
  EXPECT_EQ(p.first(7), total);
  EXPECT_EQ(p.owner(total - 1), 6);
  EXPECT_EQ(p.owner(p.first(3)), 3);
  EXPECT_EQ(p.owner(p.first(3) - 1), 2);
}

}  // namespace
}  // namespace spmv::test
