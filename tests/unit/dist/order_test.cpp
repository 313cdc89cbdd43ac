#include "dist/order.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/order/find.hpp"
#include "dist/order/units.hpp"
#include "io/generate/generator.hpp"
#include "kernels/row_order.hpp"

namespace spmv::test {
namespace {

/// The pattern of a rank's rows.
struct Rows {
  std::vector<offset> row_ptr{0};
  std::vector<lidx> col;

  lidx count() const { return static_cast<lidx>(row_ptr.size()) - 1; }
  OwnGraph graph() const { return own_graph(row_ptr, col, count()); }
};

Rows generated(const std::string& what) {
  const auto source = make_generator(what);
  const auto block = generate_rows<double>(*source, 0, source->shape().rows);
  return {block.row_ptr, {block.col.begin(), block.col.end()}};
}

/// Rows and columns permuted by `order`.
Rows ordered(const Rows& rows, const std::vector<lidx>& order) {
  const std::vector<lidx> position = inverse(order);
  Rows result;
  for (const lidx row : order) {
    for (offset k = rows.row_ptr[row]; k < rows.row_ptr[row + 1]; ++k)
      result.col.push_back(position[rows.col[k]]);
    result.row_ptr.push_back(static_cast<offset>(result.col.size()));
  }
  return result;
}

std::vector<lidx> shuffled(lidx count) {
  std::vector<lidx> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::minstd_rand random(5);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::vector<Order> built_orders() {
  std::vector<Order> some;
  for (const Order& order : orders())
    if (order.missing == nullptr) some.push_back(order);
  return some;
}

bool is_permutation_of(const std::vector<lidx>& order, lidx count) {
  std::vector<lidx> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<lidx> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

TEST(OwnGraph, BothDirectionsOnceWithoutLoopsAndGhosts) {
  // Columns 3 and 4 are ghosts; edges 0 -> 1 (twice), 1 -> 0 and 2 -> 0.
  const OwnGraph graph = own_graph({0, 4, 6, 8}, {0, 1, 1, 3, 1, 0, 0, 4}, 3);
  EXPECT_EQ(graph.vertices(), 3);
  EXPECT_EQ(graph.first, (std::vector<offset>{0, 2, 3, 4}));
  EXPECT_EQ(graph.neighbour, (std::vector<lidx>{1, 2, 0, 0}));
}

TEST(Units, RowsWithOnePatternAreOneVertex) {
  // Rows 0 and 3 belong to one point, 1 and 4 to another; the points are coupled. Row 2 is coupled with row
  // 0.
  const Rows rows{{0, 5, 9, 11, 15, 19}, {0, 1, 2, 3, 4, 0, 1, 3, 4, 0, 2, 0, 1, 3, 4, 0, 1, 3, 4}};
  const Units units = merge_units(rows.graph());
  // Row 0 alone has column 2, so its pattern is unique; rows 1, 3 and 4 have equal patterns.
  EXPECT_EQ(units.of_row, (std::vector<lidx>{0, 1, 2, 1, 1}));
  EXPECT_EQ(units.graph.weight, (std::vector<lidx>{1, 3, 1}));
  EXPECT_EQ(units.graph.first, (std::vector<offset>{0, 2, 3, 4}));
  EXPECT_EQ(units.graph.neighbour, (std::vector<lidx>{1, 2, 0, 0}));
  EXPECT_EQ(rows_in_order(units, {2, 0, 1}), (std::vector<lidx>{2, 0, 1, 3, 4}));
  EXPECT_TRUE(rows_in_order(units, {}).empty());
}

TEST(Units, OfAGridEveryRowIsOne) {
  const OwnGraph grid = generated("stencil7:5,4,3").graph();
  const Units units = merge_units(grid);
  EXPECT_EQ(units.graph.first, grid.first);
  EXPECT_EQ(units.graph.neighbour, grid.neighbour);
  EXPECT_TRUE(units.graph.weight.empty());
}

// 3 x 3 blocks with scattered rows: every order but `none` puts the rows of a point side by side again.
TEST(Units, StaySideBySideInEveryOrder) {
  Rows strangers;  // uncoupled points
  for (lidx row = 0; row < 4500; ++row) {
    for (lidx k = 0; k < 3; ++k) strangers.col.push_back(row / 3 * 3 + k);
    strangers.row_ptr.push_back(static_cast<offset>(strangers.col.size()));
  }
  const Rows grid = generated("elasticity:12,11,10");
  for (const Rows* of : std::initializer_list<const Rows*>{&grid, &strangers}) {
    const Rows& points = *of;
    const std::vector<lidx> numbering = shuffled(points.count());
    const Rows lost = ordered(points, numbering);
    for (const Order& order : built_orders()) {
      const std::vector<lidx> found = find_order(order, merge_units(lost.graph()), 1);
      const std::string name = order.name;
      if (name == "none" || (name == "grid" && &points == &strangers)) {
        EXPECT_TRUE(found.empty());
        continue;
      }
      ASSERT_TRUE(is_permutation_of(found, points.count())) << order.name;
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(numbering[found[i]] / 3, numbering[found[i / 3 * 3]] / 3) << order.name << ", place " << i;
    }
  }
}

// Heavy units that are parts by themselves leave METIS with more parts than vertices, about which it prints
// to stdout.
TEST(Units, TooHeavyForParts) {
  OwnGraph graph;  // a chain
  constexpr lidx units = 12;
  for (lidx v = 0; v < units; ++v) {
    if (v > 0) graph.neighbour.push_back(v - 1);
    if (v + 1 < units) graph.neighbour.push_back(v + 1);
    graph.first.push_back(static_cast<offset>(graph.neighbour.size()));
  }
  graph.weight.assign(units, 5000);
  const auto order = [](const OwnGraph& of) { return pick(orders(), "partition", "order").find(of, 1); };
  testing::internal::CaptureStdout();
  EXPECT_TRUE(is_permutation_of(order(graph), units));
  graph.weight.assign(units, 1);
  graph.weight[5] = 100000;  // one of them
  EXPECT_TRUE(order(graph).empty() || is_permutation_of(order(graph), units));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(LoadedLines, ALineThatIsStillThereIsNotLoadedAgain) {
  // Elements of 32 bytes, two in a line. Columns 0 and 1 share a line, 2 and 3 another.
  EXPECT_EQ(loaded_lines({0, 2, 4}, {0, 1, 2, 3}, {}, 32), 2);
  EXPECT_EQ(loaded_lines({0, 2, 4}, {0, 3, 3, 0}, {}, 32), 2);
  EXPECT_EQ(loaded_lines({0, 1, 2}, {0, 1}, {}, 64), 2);
  // Rows and columns 0 and 2 are swapped: lines 0 and 1 are loaded either way.
  EXPECT_EQ(loaded_lines({0, 1, 2, 3}, {0, 1, 1}, {2, 1, 0}, 32), 2);
  EXPECT_EQ(loaded_lines({0, 1, 2, 3}, {0, 1, 1}, {}, 32), 1);
  EXPECT_EQ(loaded_lines({0}, {}, {}, 8), 0);
}

TEST(LoadedLines, ALineThatWasLongUnusedIsLoadedAgain) {
  Rows rows;  // one element, then more others than the cache has lines, then the first one again
  rows.col.push_back(0);
  for (lidx c = 1; c <= 20000; ++c) rows.col.push_back(c);
  rows.col.push_back(0);
  rows.row_ptr.push_back(static_cast<offset>(rows.col.size()));
  EXPECT_EQ(loaded_lines(rows.row_ptr, rows.col, {}, 64), 20002);
}

TEST(Orders, ArePermutationsAndTheSameForTheSameSeed) {
  const std::vector<Rows> some = {Rows{},
                                  generated("stencil7:1,1,1"),
                                  {{0, 0, 0, 0, 0}, {}},            // no nonzeros
                                  {{0, 1, 2, 3, 4}, {0, 1, 2, 3}},  // only a diagonal
                                  {{0, 1, 2, 3, 4, 5, 5},
                                   {
                                       1,
                                       0,
                                       3,
                                       2,
                                       2,
                                   }},  // uncoupled parts
                                  generated("stencil27:18,17,16")};
  for (const Order& order : built_orders())
    for (const Rows& rows : some) {
      SCOPED_TRACE(std::string(order.name) + ", " + std::to_string(rows.count()) + " rows");
      const std::vector<lidx> found = order.find(rows.graph(), 1);
      if (!found.empty()) {
        EXPECT_TRUE(is_permutation_of(found, rows.count()));
      }
      EXPECT_EQ(order.find(rows.graph(), 1), found);
    }
}

// A shuffled grid loads x again and again; an order must bring the loads close to the original's.
TEST(Orders, BringAShuffledGridBack) {
  const Rows grid = generated("stencil7:34,33,32");
  const Rows lost = ordered(grid, shuffled(grid.count()));
  const auto lines = [](const Rows& rows, const std::vector<lidx>& order) {
    return loaded_lines(rows.row_ptr, rows.col, order, 64);
  };
  const offset natural = lines(grid, {});
  ASSERT_GT(lines(lost, {}), 3 * natural);
  for (const Order& order : built_orders()) {
    const std::vector<lidx> found = order.find(lost.graph(), 1);
    if (std::string(order.name) == "none") {
      EXPECT_TRUE(found.empty());
    } else {
      EXPECT_LT(lines(lost, found), natural + natural / 2) << order.name;
    }
  }
}

/// The points of a box as rows; `reaches` says for each dx, dy, dz from -1 to 1 whether those points are
/// coupled.
Rows box(lidx nx, lidx ny, lidx nz, const std::function<bool(int, int, int)>& reaches) {
  Rows rows;
  for (lidx z = 0; z < nz; ++z)
    for (lidx y = 0; y < ny; ++y)
      for (lidx x = 0; x < nx; ++x) {
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const bool is_inside =
                  x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz;
              if (is_inside && reaches(dx, dy, dz))
                rows.col.push_back(((z + dz) * ny + y + dy) * nx + x + dx);
            }
        rows.row_ptr.push_back(static_cast<offset>(rows.col.size()));
      }
  return rows;
}

/// Stencils by the number of coordinates that may change at once: 1, 2 or 3 (in a plane: 1 or 2).
std::function<bool(int, int, int)> steps_of(int most) {
  return [most](int dx, int dy, int dz) { return std::abs(dx) + std::abs(dy) + std::abs(dz) <= most; };
}

// The order takes the longest lines first, then the shorter plane: these boxes get their own order back,
// except for the axes' directions, which do not change the pattern.
TEST(GridOrder, LinesComeBack) {
  struct Case {
    const char* name;
    Rows grid;
  };
  for (const auto& [name, grid] :
       {Case{"3 points", box(50, 1, 1, steps_of(1))}, Case{"5 points", box(31, 9, 1, steps_of(1))},
        Case{"9 points", box(14, 14, 1, steps_of(2))}, Case{"7 points", box(13, 7, 11, steps_of(1))},
        Case{"19 points", box(9, 5, 7, steps_of(2))}, Case{"27 points", box(12, 6, 6, steps_of(3))},
        Case{"27 points, least", box(5, 5, 5, steps_of(3))}}) {
    SCOPED_TRACE(name);
    const Rows lost = ordered(grid, shuffled(grid.count()));
    const std::vector<lidx> found = order_by_grid(lost.graph(), 1);
    ASSERT_TRUE(is_permutation_of(found, grid.count()));
    EXPECT_EQ(ordered(lost, found).graph().neighbour, grid.graph().neighbour);
  }
}

// Two rows per point, scattered.
TEST(GridOrder, UnknownsOfAPointStayTogether) {
  const Rows points = box(8, 6, 7, steps_of(3));
  Rows grid;
  for (lidx i = 0; i < 2 * points.count(); ++i) {
    for (offset k = points.row_ptr[i / 2]; k < points.row_ptr[i / 2 + 1]; ++k)
      for (lidx unknown = 0; unknown < 2; ++unknown) grid.col.push_back(2 * points.col[k] + unknown);
    grid.row_ptr.push_back(static_cast<offset>(grid.col.size()));
  }
  const Rows lost = ordered(grid, shuffled(grid.count()));
  const std::vector<lidx> found = find_order(pick(orders(), "grid", "order"), merge_units(lost.graph()), 1);
  ASSERT_TRUE(is_permutation_of(found, grid.count()));
  EXPECT_EQ(ordered(lost, found).graph().neighbour, grid.graph().neighbour);
}

// Patterns that are almost grids keep their order.
TEST(GridOrder, NothingElseIsAGrid) {
  const auto edit = [](Rows rows, lidx row, lidx more) {
    rows.col.insert(rows.col.begin() + rows.row_ptr[row], more);
    for (std::size_t r = static_cast<std::size_t>(row) + 1; r < rows.row_ptr.size(); ++r) ++rows.row_ptr[r];
    return rows;
  };
  const Rows plane = box(10, 9, 1, steps_of(1)), cube = box(6, 6, 6, steps_of(1));
  EXPECT_FALSE(order_by_grid(plane.graph(), 1).empty());
  EXPECT_TRUE(order_by_grid(edit(plane, 44, 46).graph(), 1).empty())
      << "one point is coupled with one two steps away";
  EXPECT_TRUE(order_by_grid(edit(cube, 0, 215).graph(), 1).empty()) << "two corners are neighbours";
  Rows short_cut = box(20, 20, 1, steps_of(1));
  const auto at = [](lidx x, lidx y) { return y * 20 + x; };
  const auto replace = [&](lidx row, lidx old, lidx by) {
    const auto first = short_cut.col.begin() + short_cut.row_ptr[row];
    *std::find(first, short_cut.col.begin() + short_cut.row_ptr[row + 1], old) = by;
  };
  for (const auto& [a, b, far] :
       {std::tuple{at(5, 5), at(6, 5), at(15, 14)}, std::tuple{at(14, 14), at(15, 14), at(6, 5)}}) {
    replace(a, b, far);
    replace(b, a, b == at(6, 5) ? at(14, 14) : at(5, 5));
  }
  EXPECT_TRUE(order_by_grid(short_cut.graph(), 1).empty())
      << "no grid, although the numbers of neighbours are those of one";
  EXPECT_TRUE(order_by_grid(box(9, 4, 1, steps_of(1)).graph(), 1).empty()) << "too short a side";
  Rows ring;
  for (lidx i = 0; i < 12; ++i) {
    ring.col.push_back((i + 1) % 12);
    ring.row_ptr.push_back(i + 1);
  }
  EXPECT_TRUE(order_by_grid(ring.graph(), 1).empty()) << "a ring has no ends";
  Rows two = box(9, 1, 1, steps_of(1));
  for (lidx i = 0; i < 9; ++i) {
    two.col.push_back(9 + (i + 1) % 9);
    two.row_ptr.push_back(static_cast<offset>(two.col.size()));
  }
  EXPECT_TRUE(order_by_grid(two.graph(), 1).empty()) << "a line and a ring";
}

}  // namespace
}  // namespace spmv::test
