#include "kernels/row_order.hpp"

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "kernels/ordered_operator.hpp"
#include "support/same_block.hpp"

namespace spmv::test {
namespace {

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

// A rank's rows, with two own elements of x and one in the halo.
TEST(RowOrder, AbsorbedByRowsAndOwnedColumns) {
  const Csr<double> block{2, 3, {0, 1, 4}, {1, 0, 1, 2}, {4, 1, 2, 3}};
  expect_same(permuted(block, make_row_order({}, true)), block);
  expect_same(permuted(block, make_row_order({1, 0}, true)), {2, 3, {0, 3, 4}, {1, 0, 2, 0}, {1, 2, 3, 4}});
  expect_same(permuted(block, make_row_order({1, 0}, false)), {2, 3, {0, 3, 4}, {0, 1, 2, 1}, {1, 2, 3, 4}});
  // An order that is not its own inverse: row 2 and element 2 come first.
  const Csr<double> diagonal{3, 4, {0, 1, 2, 4}, {0, 1, 2, 3}, {5, 6, 7, 8}};
  expect_same(permuted(diagonal, make_row_order({2, 0, 1}, true)),
              {3, 4, {0, 2, 3, 4}, {0, 3, 1, 2}, {7, 8, 5, 6}});
}

TEST(RowOrder, OperatorsAreMadeInTheirFormatsOrder) {
  const auto backend = make_host_backend({});
  const auto queue = backend->make_queue(Priority::normal);
  const Format<double>& format = pick(formats<double>(), "pjds", "format");
  const Csr<double> block{2, 3, {0, 1, 4}, {1, 0, 1, 2}, {4, 1, 2, 3}};
  for (const bool square : {true, false})
    for (const bool given_away : {true, false}) {
      SCOPED_TRACE(square);
      SCOPED_TRACE(given_away);
      const std::vector<lidx> list = {3, 1};  // in natural order of rows
      Csr<double> given = block;
      const auto made =
          make_ordered<double>(format, {given, list, {}, backend, square}, given_away ? &given : nullptr);
      EXPECT_EQ(made.row_order, (std::vector<lidx>{1, 0}));
      const std::vector<double> x = square ? std::vector<double>{2, 1, 5} : std::vector<double>{1, 2, 5};
      std::vector<double> y(4, -1);
      made.op->apply(*queue, x.data(), y.data(), Update::assign);
      queue->synchronize();
      EXPECT_EQ(y, (std::vector<double>{-1, 20, -1, 8}));
    }
}

}  // namespace
}  // namespace spmv::test
