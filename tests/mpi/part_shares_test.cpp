// The ranks' shares in a partition, and the product time predicted from them.
#include "dist/partition/part_shares.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/machine/product_time.hpp"
#include "dist/prepare/halo_plan_builder.hpp"
#include "dist/prepare/redistribute.hpp"
#include "support/as_read.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"

namespace spmv::test {
namespace {

TEST(PartShares, AreThoseOfTheRowsWhenTheyHaveMoved) {
  const Communicator& c = world();
  const auto me = static_cast<std::size_t>(c.rank());
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    const AsRead read(c, matrix);
    for (const Partitioner& partitioner : built_partitioners()) {
      SCOPED_TRACE(std::string(partitioner.name) + " on " + matrix.name);
      const Assignment assignment = assign_rows(c, partitioner, read.owners, read.block, {});
      const PartShare mine = examine(c, read.pattern(), assignment, c.size(), 1).at(me);
      const Moves moves = moves_to(c, read.owners, assignment);
      const auto moved = redistribute(c, read.owners, read.block, moves);
      EXPECT_EQ(mine.rows, moved.block.rows);
      EXPECT_EQ(mine.nonzeros, moved.block.nonzeros());
      EXPECT_EQ(mine.halo, static_cast<gidx>(moved.ghosts.size()));
      std::vector<lidx> columns = moved.block.col;
      std::sort(columns.begin(), columns.end());
      EXPECT_EQ(mine.columns, std::unique(columns.begin(), columns.end()) - columns.begin());
      std::vector<int> owners;
      for (const gidx ghost : moved.ghosts) owners.push_back(moved.cols.owner(ghost));
      EXPECT_EQ(mine.neighbours, std::unique(owners.begin(), owners.end()) - owners.begin());
      EXPECT_EQ(mine.near_halo, 0);
      EXPECT_EQ(mine.sent, build_halo_plan(c, moved.cols, moved.ghosts).send_total());
      const auto is_ghost = [&](lidx col) { return col >= moved.owned(); };
      gidx boundary_rows = 0, boundary_nonzeros = 0;
      for (lidx row = 0; row < moved.block.rows; ++row) {
        const auto begin = moved.block.col.begin() + moved.block.row_ptr[row];
        const auto end = moved.block.col.begin() + moved.block.row_ptr[row + 1];
        if (std::none_of(begin, end, is_ghost)) continue;
        ++boundary_rows;
        boundary_nonzeros += end - begin;
      }
      EXPECT_EQ(mine.sampled_rows, mine.rows);
      EXPECT_EQ(mine.sampled_nonzeros, mine.nonzeros);
      EXPECT_EQ(mine.boundary_rows, boundary_rows);
      EXPECT_EQ(mine.boundary_nonzeros, boundary_nonzeros);
      EXPECT_EQ(mine.nonlocal_nonzeros,
                std::count_if(moved.block.col.begin(), moved.block.col.end(), is_ghost));
    }
  }
}

// Of 270,000 rows only a sample is examined; it must represent all positions in grid lines and planes
// equally.
TEST(PartShares, OfManyRowsTheBoundaryIsSampled) {
  const Communicator& c = world();
  for (const char* specification : {"stencil7:60,60,75", "stencil7:64,64,66"}) {
    SCOPED_TRACE(specification);
    const AsRead read(c, specification);
    const auto& rows = pick(partitioners(), "rows", "partitioner");
    const Assignment assignment = assign_rows(c, rows, read.owners, read.block, {});
    const PartShare mine =
        examine(c, read.pattern(), assignment, c.size(), 1).at(static_cast<std::size_t>(c.rank()));
    EXPECT_LT(mine.sampled_rows, mine.rows / 4);
    EXPECT_GT(mine.sampled_rows, mine.rows / 20);
    const gidx first = read.owners.rows.first(c.rank()), end = first + mine.rows;
    gidx boundary_rows = 0, nonlocal = 0;
    for (gidx row = 0; row < mine.rows; ++row) {
      const auto begin = read.block.col.begin() + read.block.row_ptr[row];
      const gidx outside = std::count_if(begin, read.block.col.begin() + read.block.row_ptr[row + 1],
                                         [&](gidx col) { return col < first || col >= end; });
      boundary_rows += outside > 0;
      nonlocal += outside;
    }
    const BoundaryShare share = boundary_of(mine);
    EXPECT_NEAR(share.rows, static_cast<double>(boundary_rows), 0.1 * static_cast<double>(boundary_rows));
    EXPECT_NEAR(share.nonlocal, static_cast<double>(nonlocal), 0.1 * static_cast<double>(nonlocal));
  }
}

/// The shares of `parts` parts that one rank finds after reading the whole matrix.
std::vector<PartShare> shares_seen_from_one_rank(const Communicator& c, const std::string& specification,
                                                 const Partitioner& partitioner, int parts) {
  const Communicator alone = c.split(c.rank());
  const AsRead read(alone, specification);
  const PartitionRequest request{.parts = parts};
  const Assignment assignment = assign_rows(alone, partitioner, read.owners, read.block, request);
  return examine(alone, read.pattern(), assignment, parts, 2);
}

bool equal(const PartShare& a, const PartShare& b) {
  return std::tie(a.rows, a.nonzeros, a.columns, a.halo, a.neighbours, a.near_halo, a.near_neighbours, a.sent,
                  a.sampled_rows, a.sampled_nonzeros, a.boundary_rows, a.boundary_nonzeros,
                  a.nonlocal_nonzeros) == std::tie(b.rows, b.nonzeros, b.columns, b.halo, b.neighbours,
                                                   b.near_halo, b.near_neighbours, b.sent, b.sampled_rows,
                                                   b.sampled_nonzeros, b.boundary_rows, b.boundary_nonzeros,
                                                   b.nonlocal_nonzeros);
}

// Without metis_groups and auto, whose parts depend on where ranks begin and on how fast they are.
TEST(PartShares, OfAsManyPartsAsRanksAreTheRanksOwnAndDoNotDependOnWhoCounts) {
  const Communicator& c = world();
  for (const char* specification : {"stencil27:5,6,9", "powerlaw:300,6,60", "shuffled:1,stencil7:6,6,6"})
    for (const char* name : {"rows", "nonzeros", "metis"})
      for (const int parts : {c.size(), 5, 16}) {
        SCOPED_TRACE(fmt::format("{} of {} in {}", name, specification, parts));
        const auto& partitioner = pick(partitioners(), name, "partitioner");
        const AsRead read(c, specification);
        const PartitionRequest request{.parts = parts};
        const Assignment together = assign_rows(c, partitioner, read.owners, read.block, request);
        const auto shares = examine(c, read.pattern(), together, parts, 2);
        const auto alone = shares_seen_from_one_rank(c, specification, partitioner, parts);
        ASSERT_EQ(shares.size(), static_cast<std::size_t>(parts));
        gidx sent = 0, halo = 0, near = 0, rows = 0;
        for (std::size_t p = 0; p < shares.size(); ++p) {
          EXPECT_TRUE(equal(shares[p], alone.at(p))) << "part " << p;
          rows += shares[p].rows;
          sent += shares[p].sent;
          halo += shares[p].halo;
          near += shares[p].near_halo;
        }
        EXPECT_EQ(rows, read.owners.rows.total());
        EXPECT_EQ(sent, halo);
        EXPECT_LE(near, halo);
        EXPECT_EQ(near == halo, parts <= 2);
      }
}

TEST(SectorsOfX, AreCountedOnceForASlice) {
  constexpr gidx of_four = 4;
  const gidx rows = gidx{128} * world().size();
  const auto sectors = [&](gidx columns_apart) {
    const GlobalMatrix matrix = matrix_where("", rows, rows, [=](gidx i, gidx j) {
      return j == (columns_apart * i) % rows || j == (i / 32) * 32;
    });
    return sectors_per_nonzero(world(), AsRead(world(), matrix).pattern(), of_four);
  };
  // 32 rows have one column of their own each and one in common. The own columns lie in 8 sectors, one of
  // which holds the common column, or in 32 sectors.
  EXPECT_DOUBLE_EQ(sectors(1), 8.0 / 63);
  EXPECT_NEAR(sectors(of_four), 33.0 / 64, 1.0 / 63);
  const GlobalMatrix empty{"empty", {rows, rows}, {}};
  EXPECT_EQ(sectors_per_nonzero(world(), AsRead(world(), empty).pattern(), of_four), 0);
}

TEST(PredictedProduct, IsThatOfTheSlowestRank) {
  ProductRates rates{
      .bytes = {.nonzero = 10, .row = 0, .element = 8}, .memory = 1e9, .exchange = 1e9, .message_s = 0};
  const std::vector<PartShare> even{{100, 1000, 100, 0, 0}, {100, 1000, 100, 0, 0}};
  EXPECT_DOUBLE_EQ(predicted_product(even, rates), 10e-6);
  EXPECT_DOUBLE_EQ(least_product(even, rates), 10e-6);
  // A tenth of the rows, short ones, refer to the halo. Moving its 80 elements four times takes 2.56 us of
  // memory time beside some 9.8 us of the interior; reading them takes 0.64 us.
  PartShare cut{.rows = 100, .nonzeros = 1000, .columns = 200, .halo = 80, .neighbours = 1};
  cut.sampled_rows = 50;
  cut.sampled_nonzeros = 500;
  cut.boundary_rows = 5;
  cut.boundary_nonzeros = 10;
  cut.nonlocal_nonzeros = 5;
  const std::vector<PartShare> parts{cut, {100, 500, 100, 0, 0}};
  rates.exchange = 1e12;
  EXPECT_DOUBLE_EQ(predicted_product(parts, rates), 0.64e-6 + 0.64e-9 + 10e-6) << "merged";
  rates.bytes.row = 1;
  rates.exchange = 640e6 / 9;
  EXPECT_DOUBLE_EQ(predicted_product(parts, rates), 0.64e-6 + 12.45e-6 + 0.21e-6) << "parted";
  cut.boundary_rows = 50;
  cut.boundary_nonzeros = 500;
  rates.exchange = 640e6 / 12.5;
  EXPECT_DOUBLE_EQ(predicted_product({cut}, rates), 0.64e-6 + 12.56e-6 + 0.2e-6) << "split";
  rates.message_s = 1e-6;
  EXPECT_DOUBLE_EQ(predicted_product({cut}, rates), 0.64e-6 + 13.5e-6 + 0.2e-6);
  rates.bytes.row = 0;
  EXPECT_DOUBLE_EQ(least_product(parts, rates), 7.5e-6);
}

}  // namespace
}  // namespace spmv::test
