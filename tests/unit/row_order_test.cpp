#include "kernels/row_order.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

void expect_same(const Csr<double>& is, const Csr<double>& expected) {
  EXPECT_EQ(is.rows, expected.rows);
  EXPECT_EQ(is.cols, expected.cols);
  EXPECT_EQ(is.row_ptr, expected.row_ptr);
  EXPECT_EQ(is.col, expected.col);
  EXPECT_EQ(is.value, expected.value);
}

TEST(RowOrder, Inverse) {
  EXPECT_EQ(inverse({2, 0, 1}), (std::vector<lidx>{1, 2, 0}));
  EXPECT_TRUE(inverse({}).empty());
}

TEST(RowOrder, Reordered) {
  EXPECT_EQ(reorder<int>({7, 8, 9}, {2, 0, 1}), (std::vector<int>{9, 7, 8}));
  EXPECT_EQ(reorder<int>({7, 8, 9}, {}), (std::vector<int>{7, 8, 9}));
}

TEST(RowOrder, PermutedRows) {
  const Csr<double> block{3, 2, {0, 1, 1, 3}, {0, 0, 1}, {1, 2, 3}};
  expect_same(permute_rows(block, {}), block);
  expect_same(permute_rows(block, {2, 0, 1}), {3, 2, {0, 2, 3, 3}, {0, 1, 0}, {2, 3, 1}});
}

TEST(RowOrder, RenamedColumnsLeaveTheHaloAlone) {
  Csr<double> block{1, 4, {0, 4}, {0, 1, 2, 3}, {1, 2, 3, 4}};
  rename_columns(block, {});
  EXPECT_EQ(block.col, (std::vector<lidx>{0, 1, 2, 3}));
  rename_columns(block, {2, 0, 1});
  EXPECT_EQ(block.col, (std::vector<lidx>{2, 0, 1, 3}));
}

}  // namespace
}  // namespace spmv::test
