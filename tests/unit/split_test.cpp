#include "dist/split.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/tiny.hpp"

namespace spmv::test {
namespace {

void expect_same(const Csr<double>& is, const Csr<double>& expected) {
  EXPECT_EQ(is.rows, expected.rows);
  EXPECT_EQ(is.cols, expected.cols);
  EXPECT_EQ(is.row_ptr, expected.row_ptr);
  EXPECT_EQ(is.col, expected.col);
  EXPECT_EQ(is.value, expected.value);
}

TEST(Split, FiveByFiveOnThreeRanks) {
  const RowPartition partition = tiny::partition();
  int rank = 0;
  for (const tiny::Rank& r : tiny::expected()) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const gidx first = partition.first(rank);
    const gidx owned = partition.count(rank);
    EXPECT_EQ(find_ghosts(r.block.col, first, owned), r.ghosts);
    const Split<double> parts = split(r.block, first, owned, r.ghosts);
    expect_same(parts.local, r.parts.local);
    expect_same(parts.nonlocal, r.parts.nonlocal);
    EXPECT_EQ(parts.nonlocal_row, r.parts.nonlocal_row);
    expect_same(merge(r.block, first, owned, r.ghosts), r.merged);
    ++rank;
  }
}

TEST(Split, NothingAtAll) {
  const RowBlock<double> nothing;
  EXPECT_TRUE(find_ghosts(nothing.col, 0, 0).empty());
  const Split<double> parts = split(nothing, 0, 0, {});
  EXPECT_EQ(parts.local.rows, 0);
  EXPECT_EQ(parts.local.row_ptr, std::vector<offset>{0});
  EXPECT_EQ(parts.nonlocal.rows, 0);
  EXPECT_EQ(merge(nothing, 0, 0, {}).cols, 0);
}

TEST(Split, OwnsColumnsButNoRows) {
  const RowBlock<double> nothing;
  EXPECT_EQ(split(nothing, 10, 4, {}).local.cols, 4);
  EXPECT_EQ(merge(nothing, 10, 4, {}).cols, 4);
}

TEST(Split, GhostsAreSortedAndOnce) {
  EXPECT_EQ(find_ghosts({9, 3, 5, 9, 0, 4, 3, 0}, 3, 3), (std::vector<gidx>{0, 9}));
}

TEST(Split, MoreColumnsThan32BitsAreRefusedBeforeAnythingIsMade) {
  const RowBlock<double> one_row{0, {0, 1}, {0}, {1.0}};
  const gidx too_many = gidx{1} << 31;
  try {
    split(one_row, 0, too_many, {});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("2147483648 columns"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spmv::test
