// The operators of every layout for hand-made matrices: their rows, the order of rows, and what each product
// writes.
#include "dist/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/buffer.hpp"
#include "core/pick.hpp"
#include "dist/layouts/parted.hpp"
#include "support/same_block.hpp"
#include "support/tiny.hpp"

namespace spmv::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Elements must be equal; NaN equals NaN.
void expect_same_elements(const std::vector<double>& is, const std::vector<double>& expected) {
  ASSERT_EQ(is.size(), expected.size());
  for (std::size_t i = 0; i < is.size(); ++i)
    EXPECT_TRUE(is[i] == expected[i] || (std::isnan(is[i]) && std::isnan(expected[i])))
        << "element " << i << " is " << is[i] << " instead of " << expected[i];
}

Operators<double> build(const std::string& layout, const std::string& format,
                        const DistributedRows<double>& rows) {
  DistOptions options;
  options.layout = layout;
  options.format = options.nonlocal_format = format;
  return pick(layouts<double>(), layout, "layout").build(rows, options, make_host_backend({}));
}

struct Products {
  std::vector<double>
      first;  // y after the product of all rows or of the interior; NaN where nothing was written
  std::vector<double> last;  // y after the boundary
};

/// Multiplies; x and y are in the basis.
Products multiply(const Operators<double>& operators, const std::vector<double>& x) {
  const std::shared_ptr<Backend> backend = make_host_backend({});
  const auto queue = backend->make_queue(Priority::normal);
  std::vector<double> y(static_cast<std::size_t>(operators.rows), nan);
  Products products;
  const auto& first = operators.has_interior() ? operators.interior : operators.merged;
  first.op->apply(*queue, x.data(), y.data() + operators.interior_y, Update::assign);
  queue->synchronize();
  products.first = y;
  if (operators.has_interior())
    operators.boundary.op->apply(*queue, x.data() + operators.boundary_x, y.data() + operators.boundary_y,
                                 operators.boundary_update);
  queue->synchronize();
  products.last = y;
  return products;
}

struct Case {
  std::string layout;
  std::vector<lidx> row_order;
  lidx boundary_x, boundary_y;
  Update boundary_update;
  std::vector<double> x;  // in the basis
  std::vector<double> first, last;
};

void expect_built(const Operators<double>& built, const Case& expected, bool square = true) {
  SCOPED_TRACE(expected.layout);
  EXPECT_EQ(built.has_interior(), pick(layouts(), expected.layout, "layout").has_interior);
  EXPECT_EQ(built.blocks().size(), built.has_interior() ? 2u : 1u);
  EXPECT_EQ(built.row_order, expected.row_order);
  EXPECT_EQ(built.x_order, square ? expected.row_order : std::vector<lidx>{});
  EXPECT_EQ(built.boundary_x, expected.boundary_x);
  EXPECT_EQ(built.boundary_y, expected.boundary_y);
  EXPECT_EQ(built.boundary_update, expected.boundary_update);
  const Products products = multiply(built, expected.x);
  expect_same_elements(products.first, expected.first);
  expect_same_elements(products.last, expected.last);
}

TEST(LayoutsByHand, PartedOnThreeRanks) {
  int rank = 0;
  for (const tiny::Rank& r : tiny::expected()) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const auto owned = static_cast<lidx>(tiny::partition().count(rank++));
    const Parted<double> parts = part(r.merged, owned, 1);
    expect_same(parts.interior, r.parted.interior);
    expect_same(parts.boundary, r.parted.boundary);
    EXPECT_EQ(parts.interior_row, r.parted.interior_row);
    EXPECT_EQ(parts.boundary_row, r.parted.boundary_row);
  }
}

TEST(LayoutsByHand, RowsOfAGroupStayTogether) {
  const tiny::Rank r = tiny::expected()[0];  // row 0 needs a ghost, row 1 does not
  const Parted<double> parts = part(r.merged, 2, 2);
  EXPECT_EQ(parts.interior.rows, 0);
  EXPECT_EQ(parts.boundary_row, (std::vector<lidx>{0, 1}));
  expect_same(parts.boundary, r.merged);
}

TEST(LayoutsByHand, OperatorsOnThreeRanks) {
  constexpr Update assign = Update::assign, add = Update::add;
  const std::vector<std::vector<Case>> ranks = {
      {{"merged", {}, 0, 0, assign, {1, 2, 5}, {20, 8}, {20, 8}},
       {"split", {}, 2, 0, add, {1, 2, 5}, {5, 8}, {20, 8}},
       {"parted", {1, 0}, 0, 1, assign, {2, 1, 5}, {8, nan}, {8, 20}}},
      {{"merged", {}, 0, 0, assign, {3, 4, 1, 2, 5}, {51, 102}, {51, 102}},
       {"split", {}, 2, 0, add, {3, 4, 1, 2, 5}, {46, 36}, {51, 102}},
       {"parted", {0, 1}, 0, 0, assign, {3, 4, 1, 2, 5}, {nan, nan}, {51, 102}}},
      {{"merged", {}, 0, 0, assign, {5, 1}, {71}, {71}},
       {"split", {}, 1, 0, add, {5, 1}, {60}, {71}},
       {"parted", {0}, 0, 0, assign, {5, 1}, {nan}, {71}}},
  };
  for (int rank = 0; rank < tiny::ranks; ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    for (const Case& c : ranks[static_cast<std::size_t>(rank)])
      expect_built(build(c.layout, "csr", tiny::rows_of(rank)), c);
  }
}

/// Rank 0's rows swapped, so that a format that wants long rows first must move them:
///
///        0   1 | ghost
///   0        4 |
///   1    1   2 |  3
DistributedRows<double> short_row_first(const Shape& shape) {
  const RowPartition rows({0, 2, shape.rows}), cols({0, 2, shape.cols});
  return {shape, rows, cols, {2, 3, {0, 1, 4}, {1, 0, 1, 2}, {4, 1, 2, 3}}, {2}, {0, 1}, {0, 1}};
}

TEST(LayoutsByHand, AFormatsOrderIsAbsorbedByRowsAndColumns) {
  const DistributedRows<double> rows = short_row_first({3, 3});
  for (const Case& c : {Case{"merged", {1, 0}, 0, 0, Update::assign, {2, 1, 5}, {20, 8}, {20, 8}},
                        Case{"split", {1, 0}, 2, 0, Update::add, {2, 1, 5}, {5, 8}, {20, 8}},
                        Case{"parted", {0, 1}, 0, 1, Update::assign, {1, 2, 5}, {8, nan}, {8, 20}}})
    expect_built(build(c.layout, "pjds", rows), c);
}

TEST(LayoutsByHand, ColumnsOfARectangleStay) {
  const DistributedRows<double> rows = short_row_first({3, 4});
  for (const Case& c : {Case{"merged", {1, 0}, 0, 0, Update::assign, {1, 2, 5}, {20, 8}, {20, 8}},
                        Case{"split", {1, 0}, 2, 0, Update::add, {1, 2, 5}, {5, 8}, {20, 8}},
                        Case{"parted", {0, 1}, 0, 1, Update::assign, {1, 2, 5}, {8, nan}, {8, 20}}})
    expect_built(build(c.layout, "pjds", rows), c, false);
}

/// Formats that store columns as short distances, which need neighbouring rows to stay together.
std::vector<std::string> formats_that_keep_neighbourhood() {
  std::vector<std::string> names;
  for (const Format<double>& format : formats<double>())
    if (format.keeps_neighbourhood && why_unusable(format, *make_host_backend({})).empty())
      names.emplace_back(format.name);
  return names;
}

TEST(LayoutsByHand, RowsStayWhereTheirNeighbourhoodIsKept) {
  const std::vector<std::string> names = formats_that_keep_neighbourhood();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expect_built(build("parted", name, tiny::rows_of(0)),
                 {"parted", {}, 0, 0, Update::assign, {1, 2, 5}, {nan, 8}, {20, 8}});
  }
}

/// An identity matrix with a ghost in each of the `boundary` rows.
DistributedRows<double> diagonal_with_ghosts(lidx n, const std::vector<lidx>& boundary) {
  const RowPartition owners({0, n, n + 1});
  DistributedRows<double> rows{{n + 1, n + 1}, owners, owners, {}, {n}, {}, {}};
  rows.block.rows = n;
  rows.block.cols = n + 1;
  for (lidx i = 0; i < n; ++i) {
    rows.block.col.push_back(i);
    if (std::count(boundary.begin(), boundary.end(), i) > 0) rows.block.col.push_back(n);
    rows.block.row_ptr.push_back(static_cast<offset>(rows.block.col.size()));
  }
  rows.block.value.assign(rows.block.col.size(), 1.0);
  return rows;
}

TEST(LayoutsByHand, RowsStoredTogetherAreBoundaryRowsTogetherUnlessThatLeavesLittle) {
  const auto written_by_interior = [](const std::string& format, const std::vector<lidx>& boundary) {
    const std::vector<double> y =
        multiply(build("parted", format, diagonal_with_ghosts(128, boundary)), std::vector<double>(129, 1))
            .first;
    return std::count_if(y.begin(), y.end(), [](double v) { return !std::isnan(v); });
  };
  for (const std::string& name : formats_that_keep_neighbourhood()) {
    SCOPED_TRACE(name);
    const lidx stored_together = name == "sell_blocked" ? 64 : 32;  // 32 block rows, here of 2 rows each
    EXPECT_EQ(written_by_interior(name, {40}), 128 - stored_together)
        << "the rows stored with row 40 belong to the boundary, too";
    const lidx block_row = stored_together / 32;
    EXPECT_EQ(written_by_interior(name, {5, 40, 70, 100}), 128 - 4 * block_row)
        << "whole groups would leave no interior row, so only the rows of one block stay together";
  }
  EXPECT_EQ(written_by_interior("csr", {40}), 127);
}

/// A chain of nodes with 3 rows each, all coupled with their node and its neighbours; the first node has a
/// neighbour in the halo.
DistributedRows<double> chain_of_nodes(lidx nodes) {
  const lidx n = 3 * nodes;
  const RowPartition owners({0, n, n + 3});
  DistributedRows<double> rows{{n + 3, n + 3}, owners, owners, {}, {n, n + 1, n + 2}, {}, {}};
  rows.block.rows = n;
  rows.block.cols = n + 3;
  const auto add_node = [&](lidx node) {
    for (lidx k = 0; k < 3; ++k) rows.block.col.push_back(3 * node + k);
  };
  for (lidx i = 0; i < n; ++i) {
    const lidx node = i / 3;
    if (node > 0) add_node(node - 1);
    add_node(node);
    if (node + 1 < nodes) add_node(node + 1);
    if (node == 0) add_node(nodes);
    rows.block.row_ptr.push_back(static_cast<offset>(rows.block.col.size()));
  }
  rows.block.value.assign(rows.block.col.size(), 1.0);
  return rows;
}

// Row 32 lies within a node: if the boundary began there, every dense block of the interior would be cut in
// two.
TEST(LayoutsByHand, PartsDoNotTearTheBlocksOfAFormat) {
  const DistributedRows<double> rows = chain_of_nodes(416);
  const Operators<double> built = build("parted", "sell_blocked", rows);
  EXPECT_EQ(built.boundary.decision.options.entry_block, 3);
  EXPECT_EQ(built.interior_y, 32 * 3);
  EXPECT_EQ(built.boundary_y, 0);
  EXPECT_EQ(built.boundary.op->footprint().nonzeros, 32 * 3 * 9);
  EXPECT_EQ(built.interior.op->footprint().stored_elements, 12 * 32 * 3 * 9);
  const std::vector<double> y = multiply(built, std::vector<double>(416 * 3 + 3, 1)).last;
  EXPECT_EQ(std::count(y.begin(), y.end(), 9.0), 415 * 3);
}

TEST(LayoutsByHand, NothingAtAll) {
  const DistributedRows<double> none{{0, 0}, RowPartition({0, 0}), RowPartition({0, 0}), {}, {}, {}, {}};
  for (const Layout<double>& layout : layouts())
    for (const char* format : {"csr", "pjds"})
      EXPECT_EQ(build(layout.name, format, none).rows, 0) << layout.name << " " << format;
}

}  // namespace
}  // namespace spmv::test
