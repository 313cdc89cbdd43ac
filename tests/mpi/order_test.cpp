#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/order/choose_order.hpp"
#include "dist/prepare/reorder.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"

namespace spmv::test {
namespace {

/// Every nonzero of this rank with its ids as read, sorted.
std::vector<std::tuple<gidx, gidx, double>> entries(const Communicator& c,
                                                    const DistributedRows<double>& rows) {
  // The ghosts' ids as read, from their owners.
  std::vector<offset> counts(static_cast<std::size_t>(c.size()), 0);
  for (const gidx id : rows.ghosts) ++counts[static_cast<std::size_t>(rows.cols.owner(id))];
  auto asked = c.all_to_all(rows.ghosts, counts);
  for (gidx& id : asked.data)
    id = rows.original_col[static_cast<std::size_t>(id - rows.cols.first(c.rank()))];
  const std::vector<gidx> ghosts = c.all_to_all(asked.data, asked.counts).data;
  std::vector<std::tuple<gidx, gidx, double>> all;
  for (lidx i = 0; i < rows.block.rows; ++i)
    for (offset k = rows.block.row_ptr[i]; k < rows.block.row_ptr[i + 1]; ++k) {
      const lidx col = rows.block.col[k];
      all.emplace_back(rows.original_row[i],
                       col < rows.owned() ? rows.original_col[col] : ghosts[col - rows.owned()],
                       rows.block.value[k]);
    }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(ReorderRows, ChangesPlacesAndNothingElse) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    if (matrix.shape.rows != matrix.shape.cols) continue;
    SCOPED_TRACE(matrix.name);
    const auto before = make_problem<double>(c, matrix, pick(partitioners(), "rows", "partitioner")).rows;
    auto after = before;
    std::vector<lidx> order(static_cast<std::size_t>(before.block.rows));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::minstd_rand(static_cast<unsigned>(c.rank()) + 3));
    if (c.rank() % 3 == 1) order.clear();  // a rank that keeps its order, with neighbours that change theirs
    reorder_rows(c, after, order);
    EXPECT_EQ(entries(c, after), entries(c, before));
    EXPECT_TRUE(std::is_sorted(after.ghosts.begin(), after.ghosts.end()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(after.original_row[i], before.original_row[order[i]]);
      const auto* const col = after.block.col.data();
      EXPECT_TRUE(std::is_sorted(col + after.block.row_ptr[i], col + after.block.row_ptr[i + 1]));
    }
  }
}

TEST(ChooseOrder, SaysWhyRowsStay) {
  const Communicator& c = world();
  const auto rows = [&](const GlobalMatrix& matrix) {
    return make_problem<double>(c, matrix, pick(partitioners(), "rows", "partitioner")).rows;
  };
  const auto wide = rows(matrix_where("wide", 5, 9, [](gidx i, gidx j) { return (i + j) % 2 == 0; }));
  for (const char* name : {"partition", auto_order}) {
    const ChosenOrder chosen = choose_order(c, wide, {.name = name, .bandwidth = 1e9});
    EXPECT_FALSE(chosen.decision.ordered);
    EXPECT_NE(chosen.decision.reason.find("not square"), std::string::npos);
  }
  const auto small = rows(matrix_where("ring", 40, 40, [](gidx i, gidx j) { return (i + 1) % 40 == j; }));
  const ChosenOrder one = choose_order(c, small, {.name = auto_order, .products = 1, .bandwidth = 1e12});
  EXPECT_FALSE(one.decision.ordered);
  EXPECT_NE(one.decision.reason.find("1 products"), std::string::npos);
  EXPECT_TRUE(choose_order(c, small, {.name = "none"}).decision.reason.empty());
}

// The worst possible order of rows, and many products.
TEST(ChooseOrder, OrdersWhatPays) {
  const Communicator& c = world();
  constexpr gidx mine = 80000;
  const Ownership even = Ownership::even({mine * c.size(), mine * c.size()}, c.size());
  RowBlock<std::complex<double>> block;  // a band with shuffled rows
  block.first_row = even.rows.first(c.rank());
  std::vector<gidx> of_row(mine), place(mine);
  std::iota(of_row.begin(), of_row.end(), 0);
  std::minstd_rand random(5);
  std::shuffle(of_row.begin(), of_row.end(), random);
  for (gidx i = 0; i < mine; ++i) place[static_cast<std::size_t>(of_row[static_cast<std::size_t>(i)])] = i;
  for (const gidx row : of_row) {
    for (const gidx step : {-2, -1, 0, 1, 2}) {
      block.col.push_back(block.first_row + place[static_cast<std::size_t>((row + step + mine) % mine)]);
      block.value.emplace_back(1);
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  const Move stay(c, std::vector<int>(static_cast<std::size_t>(block.rows()), c.rank()));
  const auto rows = redistribute(c, even, std::move(block), {stay, stay});
  const ChosenOrder chosen = choose_order(c, rows, {.name = auto_order, .products = 1e9, .bandwidth = 1e9});
  EXPECT_TRUE(chosen.decision.ordered) << chosen.decision.reason;
  EXPECT_LT(chosen.decision.lines_after, 0.8 * chosen.decision.lines_before);
}

}  // namespace
}  // namespace spmv::test
