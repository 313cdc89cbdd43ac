#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "dist/dist_matrix.hpp"
#include "dist/layouts.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/prepare/halo_plan_builder.hpp"
#include "dist/prepare/number_columns.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"
#include "support/tiny.hpp"

namespace spmv::test {
namespace {

void expect_same(const HaloPlan& is, const HaloPlan& expected) {
  EXPECT_EQ(is.owned, expected.owned);
  EXPECT_EQ(is.ghosts, expected.ghosts);
  EXPECT_EQ(is.send_index, expected.send_index);
  ASSERT_EQ(is.neighbours.size(), expected.neighbours.size());
  for (std::size_t i = 0; i < is.neighbours.size(); ++i) {
    SCOPED_TRACE("neighbour " + std::to_string(i));
    EXPECT_EQ(is.neighbours[i].rank, expected.neighbours[i].rank);
    EXPECT_EQ(is.neighbours[i].send_offset, expected.neighbours[i].send_offset);
    EXPECT_EQ(is.neighbours[i].send_count, expected.neighbours[i].send_count);
    EXPECT_EQ(is.neighbours[i].receive_offset, expected.neighbours[i].receive_offset);
    EXPECT_EQ(is.neighbours[i].receive_count, expected.neighbours[i].receive_count);
  }
}

// Needs three ranks; further ranks own nothing and have an empty plan.
TEST(HaloPlan, FiveByFiveOnThreeRanks) {
  const Communicator& c = world();
  if (c.size() < tiny::ranks) return;
  const auto expected = tiny::expected();
  const bool has_rows = c.rank() < tiny::ranks;
  const tiny::Rank mine = has_rows ? expected[static_cast<std::size_t>(c.rank())] : tiny::Rank{};
  expect_same(build_halo_plan(c, tiny::partition(c.size()), mine.ghosts), mine.plan);
}

// Every rank owns as many elements as 32 bits can number, and needs the last one of the previous rank.
TEST(HaloPlan, IdsBeyond32Bits) {
  const Communicator& c = world();
  constexpr gidx most = std::numeric_limits<lidx>::max();
  const RowPartition cols =
      RowPartition::from_counts(std::vector<gidx>(static_cast<std::size_t>(c.size()), most));
  std::vector<gidx> ghosts;
  if (c.rank() > 0) ghosts.push_back(cols.first(c.rank()) - 1);
  const HaloPlan plan = build_halo_plan(c, cols, ghosts);
  EXPECT_EQ(plan.owned, most);
  EXPECT_EQ(plan.ghosts, static_cast<lidx>(ghosts.size()));
  const bool gives = c.rank() + 1 < c.size();
  EXPECT_EQ(plan.send_index, gives ? std::vector<lidx>{static_cast<lidx>(most - 1)} : std::vector<lidx>{});
  ASSERT_EQ(plan.neighbours.size(), ghosts.size() + (gives ? 1 : 0));
}

// send_index follows the layout's order of rows: in layout parted, rank 0 has its row 1 first.
TEST(HaloPlan, FollowsTheBasisOfEveryLayout) {
  const Communicator& c = world();
  if (c.size() < tiny::ranks) return;
  const bool has_rows = c.rank() < tiny::ranks;
  for (const Layout<double>& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    DistOptions options;
    options.layout = layout.name;
    options.format = options.nonlocal_format = "csr";
    options.transport.clear();
    const DistMatrix<double> matrix(c, tiny::rows_of(c.rank(), c.size()), options, make_host_backend({}));
    HaloPlan expected = has_rows ? tiny::expected()[static_cast<std::size_t>(c.rank())].plan : HaloPlan{};
    if (c.rank() == 0 && options.layout == "parted") expected.send_index = {1, 0, 1};
    expect_same(matrix.plan(), expected);
  }
}

TEST(HaloPlan, RenumberMovesOnlyWhatIsPacked) {
  const HaloPlan plan = tiny::expected()[0].plan;
  expect_same(renumber(plan, {}), plan);
  HaloPlan swapped = plan;
  swapped.send_index = {1, 0, 1};
  expect_same(renumber(plan, {1, 0}), swapped);
}

TEST(HaloPlan, PrintsEveryNeighbour) {
  const std::string text = to_string(tiny::expected()[0].plan);
  EXPECT_NE(text.find("2 owned, 1 ghosts, 3 to send, 2 neighbours"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 2: send 1 from 2, receive 1 at 0"), std::string::npos) << text;
}

/// Fails unless the ids that each rank sends arrive at the places where the receiver's plan expects them.
void expect_consistent(const Communicator& c, const RowPartition& cols, const std::vector<gidx>& ghosts,
                       const HaloPlan& plan) {
  const auto ranks = static_cast<std::size_t>(c.size());
  std::vector<gidx> ids;
  std::vector<offset> counts(ranks, 0);
  int last_rank = -1;
  lidx send_end = 0, receive_end = 0;
  for (const Neighbour& n : plan.neighbours) {
    EXPECT_GT(n.rank, last_rank);
    EXPECT_NE(n.rank, c.rank());
    EXPECT_GT(n.send_count + n.receive_count, 0);
    EXPECT_EQ(n.send_offset, send_end);
    EXPECT_EQ(n.receive_offset, receive_end);
    last_rank = n.rank;
    send_end += n.send_count;
    receive_end += n.receive_count;
    counts[static_cast<std::size_t>(n.rank)] = n.send_count;
    for (lidx k = 0; k < n.send_count; ++k)
      ids.push_back(cols.first(c.rank()) + plan.send_index[n.send_offset + k]);
  }
  EXPECT_EQ(send_end, plan.send_total());
  EXPECT_EQ(receive_end, plan.ghosts);
  const auto received = c.all_to_all(ids, counts);
  EXPECT_EQ(received.data, ghosts);
  std::vector<offset> expected(ranks, 0);
  for (const Neighbour& n : plan.neighbours) expected[static_cast<std::size_t>(n.rank)] = n.receive_count;
  EXPECT_EQ(received.counts, expected);
}

TEST(HaloPlan, WhatOneSendsIsWhatTheOtherExpects) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    SCOPED_TRACE(matrix.name);
    const auto [rows, cols] = Ownership::even(matrix.shape, c.size());
    auto block = assemble(c, rows, dealt_entries<float>(matrix, c.rank(), c.size()));
    const auto ghosts = number_columns(std::move(block), cols.first(c.rank()), cols.count(c.rank())).ghosts;
    const HaloPlan plan = build_halo_plan(c, cols, ghosts);
    EXPECT_EQ(plan.owned, cols.count(c.rank()));
    expect_consistent(c, cols, ghosts, plan);
  }
}

TEST(HaloPlan, NoNeighboursWithoutGhosts) {
  const Communicator& c = world();
  const HaloPlan plan = build_halo_plan(c, RowPartition::even(3, c.size()), {});
  EXPECT_TRUE(plan.neighbours.empty());
  EXPECT_EQ(plan.send_total(), 0);
}

}  // namespace
}  // namespace spmv::test
