#include "dist/prepare/column_set.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

std::vector<gidx> ascending(const std::set<gidx>& members) {
  return {members.begin(), members.end()};
}

TEST(ColumnSet, GivesEachColumnOnceAndIsEmptyThen) {
  constexpr gidx first = 1000000007, count = 300000;  // spans several levels of words
  ColumnSet set(first, count);
  std::minstd_rand random(3);
  for (const int members : {0, 1, 20, 50000}) {
    std::set<gidx> expected = {first, first + 63, first + 64, first + 4095, first + 4096, first + count - 1};
    for (int i = 0; i < members; ++i) expected.insert(first + static_cast<gidx>(random() % count));
    const std::vector<gidx> added = ascending(expected);
    for (const gidx col : added) set.add(col);
    for (const gidx col : added) set.add(col);
    EXPECT_EQ(set.take(), added);
    EXPECT_TRUE(set.take().empty());
  }
}

TEST(ColumnSet, TakesWhatThreadsAddTogether) {
  constexpr gidx count = 100000;
  ColumnSet set(0, count);
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (gidx i = 0; i < 4 * count; ++i) set.add(i / 4);
  std::vector<gidx> all(count);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(set.take(), all);
}

// A few columns in a wide range are found by another method than many in a narrow one.
TEST(ColumnsOutside, LeavesOutOwnColumns) {
  for (const gidx stride : {gidx{1}, gidx{7}, gidx{1} << 40}) {
    const std::vector<gidx> cols = {3 * stride, 0, 9 * stride, 5 * stride, 9 * stride, 4 * stride, 0};
    EXPECT_EQ(columns_outside(cols, 3 * stride, 2 * stride), (std::vector<gidx>{0, 5 * stride, 9 * stride}))
        << stride;
    EXPECT_EQ(columns_outside(cols, 100 * stride, 0),
              (std::vector<gidx>{0, 3 * stride, 4 * stride, 5 * stride, 9 * stride}))
        << stride;
  }
  EXPECT_TRUE(columns_outside({}, 4, 2).empty());
  EXPECT_TRUE(columns_outside({5, 4, 5}, 4, 2).empty());
}

}  // namespace
}  // namespace spmv::test
