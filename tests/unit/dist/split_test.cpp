#include "dist/layouts/split.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "dist/prepare/number_columns.hpp"
#include "support/same_block.hpp"
#include "support/tiny.hpp"

namespace spmv::test {
namespace {

TEST(Split, FiveByFiveOnThreeRanks) {
  const RowPartition partition = tiny::partition();
  int rank = 0;
  for (const tiny::Rank& r : tiny::expected()) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const gidx first = partition.first(rank);
    const gidx owned = partition.count(rank);
    const NumberedRows<double> rows = number_columns(r.block, first, owned);
    EXPECT_EQ(rows.ghosts, r.ghosts);
    expect_same(rows.block, r.merged);
    const Split<double> parts = split(rows.block, static_cast<lidx>(owned));
    expect_same(parts.local, r.parts.local);
    expect_same(parts.nonlocal, r.parts.nonlocal);
    EXPECT_EQ(parts.nonlocal_row, r.parts.nonlocal_row);
    ++rank;
  }
}

TEST(Split, NothingAtAll) {
  const NumberedRows<double> nothing = number_columns(RowBlock<double>{}, 0, 0);
  EXPECT_TRUE(nothing.ghosts.empty());
  EXPECT_EQ(nothing.block.cols, 0);
  const Split<double> parts = split(nothing.block, 0);
  EXPECT_EQ(parts.local.rows, 0);
  EXPECT_EQ(parts.local.row_ptr, std::vector<offset>{0});
  EXPECT_EQ(parts.nonlocal.rows, 0);
}

TEST(Split, OwnsColumnsButNoRows) {
  const Csr<double> nothing = number_columns(RowBlock<double>{}, 10, 4).block;
  EXPECT_EQ(nothing.cols, 4);
  EXPECT_EQ(split(nothing, 4).local.cols, 4);
}

TEST(Split, GhostsAreSortedAndOnce) {
  const RowBlock<double> row{0, {0, 8}, {9, 3, 5, 9, 0, 4, 3, 0}, std::vector<double>(8, 1.0)};
  const NumberedRows<double> numbered = number_columns(row, 3, 3);
  EXPECT_EQ(numbered.ghosts, (std::vector<gidx>{0, 9}));
  EXPECT_EQ(numbered.block.col, (std::vector<lidx>{4, 0, 2, 4, 3, 1, 0, 3}));
}

TEST(Split, MoreColumnsThan32BitsAreRefusedBeforeAnythingIsMade) {
  const RowBlock<double> one_row{0, {0, 1}, {0}, {1.0}};
  const gidx too_many = gidx{1} << 31;
  try {
    number_columns(one_row, 0, too_many);
    FAIL() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("2147483648 columns"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spmv::test
