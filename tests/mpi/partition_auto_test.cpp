// What partition auto goes by, and what it takes.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/partition/cost.hpp"
#include "dist/partition/graph.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/prepare/halo_plan_builder.hpp"
#include "dist/prepare/redistribute.hpp"
#include "io/generate/generator.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"

namespace spmv::test {
namespace {

/// A matrix as read: even ranges of rows.
struct AsRead {
  AsRead(const Communicator& c, const GlobalMatrix& matrix)
      : owners(Ownership::even(matrix.shape, c.size())),
        block(assemble(c, owners.rows, dealt_entries<double>(matrix, c.rank(), c.size()))) {}
  AsRead(const Communicator& c, const std::string& specification)
      : owners(Ownership::even(make_generator(specification)->shape(), c.size())),
        block(generate_rows<double>(*make_generator(specification), owners.rows.first(c.rank()),
                                    owners.rows.count(c.rank()))) {}
  Pattern pattern() const { return {owners, block.row_ptr, block.col}; }

  Ownership owners;
  RowBlock<double> block;
};

PartitionChoice choice_of(const Communicator& c, const AsRead& read, const PartitionRequest& request) {
  return assign_rows(c, pick(partitioners(), "auto", "partitioner"), read.owners, read.block, request).choice;
}

TEST(PartShares, AreThoseOfTheRowsWhenTheyHaveMoved) {
  const Communicator& c = world();
  const auto me = static_cast<std::size_t>(c.rank());
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    const AsRead read(c, matrix);
    for (const Partitioner& partitioner : built_partitioners()) {
      SCOPED_TRACE(std::string(partitioner.name) + " on " + matrix.name);
      const Assignment assignment = assign_rows(c, partitioner, read.owners, read.block, {});
      const PartShare mine = examine(c, read.pattern(), assignment, c.size(), 1).at(me);
      const Moves moves = find_moves(c, partitioner, read.owners, read.block, {});
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

// Of 270,000 rows some are looked at, at all places of lines and planes alike.
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

/// What one rank, which has read everything, finds for so many parts.
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

// The parts of METIS's groups and of auto depend on where ranks begin and on how fast they are.
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

/// Every edge of a graph of groups, counted nonzero by nonzero.
std::map<std::pair<gidx, gidx>, int> counted_edges(const GlobalMatrix& matrix, const Ownership& owners,
                                                   const RowGroups& groups) {
  std::map<std::pair<gidx, gidx>, int> edges;
  for (const auto& [row, col] : std::set(matrix.at.begin(), matrix.at.end())) {
    const gidx from = groups.of(row, owners.rows.owner(row)), to = groups.of(col, owners.cols.owner(col));
    if (from == to) continue;
    ++edges[{from, to}];
    ++edges[{to, from}];
  }
  return edges;
}

TEST(GraphOfGroups, HasAnEdgeForEachPairAsStrongAsItsNonzeros) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    if (matrix.shape.rows != matrix.shape.cols) continue;
    SCOPED_TRACE(matrix.name);
    const AsRead read(c, matrix);
    const RowGroups groups = group_rows(c, read.pattern(), 4);
    const LocalGraph graph = graph_of_groups(c, read.pattern(), groups);
    const auto edges = counted_edges(matrix, read.owners, groups);
    std::size_t at = 0;
    gidx rows = 0;
    for (gidx g = 0; g < graph.vertices.count(c.rank()); ++g) {
      const gidx from = graph.vertices.first(c.rank()) + g;
      for (offset k = graph.first[g]; k < graph.first[g + 1]; ++k, ++at) {
        const auto edge = edges.find({from, graph.neighbour[k]});
        ASSERT_NE(edge, edges.end()) << from << " to " << graph.neighbour[k];
        EXPECT_EQ(graph.strength[k], edge->second);
      }
    }
    EXPECT_EQ(c.sum(static_cast<gidx>(at)), static_cast<gidx>(edges.size()));
    // Edges that only the other end's rows name count there, and few groups are all looked at.
    const double left = edges_per_nonzero(c, read.pattern(), groups);
    std::set<std::pair<gidx, gidx>> named;
    for (const auto& [row, col] : std::set(matrix.at.begin(), matrix.at.end())) {
      const gidx from_group = groups.of(row, read.owners.rows.owner(row));
      const gidx to_group = groups.of(col, read.owners.cols.owner(col));
      if (from_group != to_group) named.insert({from_group, to_group});
    }
    const gidx nonzeros = c.sum(static_cast<gidx>(read.block.nonzeros()));
    EXPECT_DOUBLE_EQ(left,
                     static_cast<double>(named.size()) / static_cast<double>(std::max<gidx>(nonzeros, 1)));
    for (gidx row = 0; row < read.owners.rows.count(c.rank()); ++row)
      rows += groups.of(read.owners.rows.first(c.rank()) + row, c.rank()) >= graph.vertices.first(c.rank());
    EXPECT_EQ(rows, read.owners.rows.count(c.rank()));
  }
}

// Three unknowns a point: a rank's first rows may be the rest of a point that another has begun.
TEST(RowGroups, CutNoPoint) {
  const Communicator& c = world();
  const AsRead read(c, "elasticity:5,5,5");
  const RowGroups groups = group_rows(c, read.pattern(), 32);
  const gidx first = read.owners.rows.first(c.rank()), end = first + read.owners.rows.count(c.rank());
  for (gidx row = first + 1; row < end; ++row) {
    if (row % 3 == 0) continue;
    EXPECT_EQ(groups.of(row, c.rank()), groups.of(row - 1, c.rank())) << row;
  }
  EXPECT_GE(groups.groups().count(c.rank()), (end - first) / 33);
}

TEST(PartitionAuto, LeavesAGridInItsOrder) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  PartitionRequest request{.products = 1e9};
  request.rates.exchange = 1e15;  // hidden
  request.rates.message_s = 0;
  const PartitionChoice choice = choice_of(c, AsRead(c, "stencil7:9,9,28"), request);
  EXPECT_EQ(choice.taken, "rows") << choice.reason;
}

TEST(PartitionAuto, TakesNonzerosWhereRowsAreUnequal) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, matrix_where("heavy head", 400, 400,
                                    [](gidx i, gidx j) { return i < 40 ? j / 40 == i / 4 : i == j; }));
  PartitionRequest request{.products = 1};
  request.rates.message_s = 0;
  const PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "nonzeros") << choice.reason;
}

TEST(PartitionAuto, AsksMetisOnlyWhereTheProductsPayForIt) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  std::vector<std::string> announced;
  const auto announce = [&](const std::string& step, double about_s) {
    announced.push_back(step);
    EXPECT_GT(about_s, 0);
  };
  EXPECT_EQ(choice_of(c, read, {.products = 1, .announce = announce}).taken, "rows");
  EXPECT_TRUE(announced.empty());
  const PartitionChoice choice = choice_of(c, read, {.products = 1e9, .announce = announce});
  EXPECT_EQ(choice.taken, "metis") << choice.reason;
  EXPECT_EQ(announced, std::vector<std::string>{"partitioning with metis"});
  EXPECT_EQ(choice.predicted.front().partitioner, "rows");
}

/// What METIS makes of it, as if it had been stored under this name.
ReadyPartition made_before(const Communicator& c, const AsRead& read, const char* name) {
  return {name, "m.spmv",
          assign_rows(c, pick(partitioners(), "metis", "partitioner"), read.owners, read.block, {})};
}

TEST(ReadyPartitions, AreTakenByTheNameOfTheirPartitioner) {
  const Communicator& c = world();
  const AsRead read(c, "shuffled:1,stencil7:6,6,6");
  PartitionRequest request;
  request.ready.push_back({"nonzeros", "other.spmv", {}});
  request.ready.push_back({"metis", "m.spmv", {}});
  // No partitioner makes this one.
  request.ready.back().assignment.rows.assign(static_cast<std::size_t>(read.block.rows()), c.size() - 1);
  const auto assigned = [&](const char* name) {
    return assign_rows(c, pick(partitioners(), name, "partitioner"), read.owners, read.block, request);
  };
  EXPECT_EQ(assigned("metis").rows, request.ready.back().assignment.rows);
  EXPECT_EQ(assigned("metis").choice.taken, "metis");
  EXPECT_EQ(assigned("metis").choice.reason, "read from m.spmv");
  EXPECT_TRUE(assigned("rows").choice.taken.empty());
  EXPECT_EQ(assigned("rows").rows.size(), static_cast<std::size_t>(read.block.rows()));
}

TEST(ReadyPartitions, AreTakenWithoutTheirPartitioner) {
  const Communicator& c = world();
  const AsRead read(c, "stencil7:4,4,4");
  Partitioner missing = pick(partitioners(), "metis", "partitioner");
  missing.missing = "this build has none";
  PartitionRequest request;
  EXPECT_THROW(assign_rows(c, missing, read.owners, read.block, request), AgreedError);
  request.ready.push_back(made_before(c, read, "metis"));
  EXPECT_EQ(assign_rows(c, missing, read.owners, read.block, request).rows,
            request.ready.back().assignment.rows);
}

TEST(PartitionAuto, TakesWhatIsReadyWithoutAskingMetis) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  for (const char* name : {"metis", "metis_groups"}) {
    PartitionRequest request{.products = 1e9};
    request.ready.push_back(made_before(c, read, name));
    // As good, and another than METIS would make now.
    for (int& rank : request.ready.back().assignment.rows) rank = (rank + 1) % c.size();
    const Assignment taken =
        assign_rows(c, pick(partitioners(), "auto", "partitioner"), read.owners, read.block, request);
    EXPECT_EQ(taken.choice.taken, name) << taken.choice.reason;
    EXPECT_NE(taken.choice.reason.find("read from m.spmv"), std::string::npos) << taken.choice.reason;
    EXPECT_EQ(taken.choice.predicted.back().partitioner, name);
    EXPECT_EQ(taken.rows, request.ready.back().assignment.rows);
  }
}

TEST(PartitionAuto, LeavesWhatIsReadyWhereToMoveTheRowsCostsMore) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  PartitionRequest request{.products = 1};
  request.ready.push_back(made_before(c, read, "metis"));
  const PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "rows") << choice.reason;
  EXPECT_NE(choice.reason.find("metis in m.spmv would save too little"), std::string::npos) << choice.reason;
  EXPECT_EQ(choice.predicted.back().partitioner, "metis");
}

TEST(PartitionAuto, AsksMetisWhereOthersHaveMadeWhatIsReady) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  PartitionRequest request{.products = 1e9};
  request.ready.push_back({"foreign", "m.spmv", {}});
  // Neither the halo of rows as they come nor all rows on one rank are hidden by anything.
  request.rates.message_s = 0;
  request.rates.memory = 1e9;
  request.rates.exchange = 1e8;
  request.ready.back().assignment.rows.assign(static_cast<std::size_t>(read.block.rows()), 0);
  const PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "metis") << choice.reason;
}

TEST(PartitionAuto, SaysWhenceATakenPartitionIsThoughMetisMayBeAsked) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  for (const double products : {1e5, 1e12}) {  // METIS is not asked, or finds nothing better
    PartitionRequest request{.products = products};
    request.ready.push_back(made_before(c, read, "foreign"));
    const PartitionChoice choice = choice_of(c, read, request);
    EXPECT_EQ(choice.taken, "foreign") << choice.reason;
    EXPECT_NE(choice.reason.find("read from m.spmv"), std::string::npos) << choice.reason;
  }
}

TEST(PartitionAuto, TakesGroupsWhereNeighboursBelongTogether) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  // Blocks of 64 rows that refer to each other: those of one chain are dealt out in turn.
  const gidx chains = c.size(), blocks = 6, rows = 64;
  const AsRead read(
      c, matrix_where("dealt blocks", chains * blocks * rows, chains * blocks * rows, [&](gidx i, gidx j) {
        const gidx a = i / rows, b = j / rows;
        return a % chains == b % chains && std::abs(a / chains - b / chains) <= 1 && (i + j) % 2 == 0;
      }));
  PartitionRequest request{.products = 1e6};
  request.rates.exchange = 1e7;  // nothing hides it
  const PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "metis_groups") << choice.reason;
}

TEST(PredictedProduct, IsThatOfTheSlowestRank) {
  ProductRates rates{.nonzero_bytes = 10,
                     .row_bytes = 0,
                     .element_bytes = 8,
                     .memory = 1e9,
                     .exchange = 1e9,
                     .message_s = 0};
  const std::vector<PartShare> even{{100, 1000, 100, 0, 0}, {100, 1000, 100, 0, 0}};
  EXPECT_DOUBLE_EQ(predicted_product(even, rates), 10e-6);
  EXPECT_DOUBLE_EQ(least_product(even, rates), 10e-6);
  // A tenth of the rows, short ones, refers to the halo; 80 elements of it that are moved four times take 2.56 us of the
  // memory's time beside some 9.8 us of the interior, and 0.64 us to be read.
  PartShare cut{.rows = 100, .nonzeros = 1000, .columns = 200, .halo = 80, .neighbours = 1};
  cut.sampled_rows = 50;
  cut.sampled_nonzeros = 500;
  cut.boundary_rows = 5;
  cut.boundary_nonzeros = 10;
  cut.nonlocal_nonzeros = 5;
  const std::vector<PartShare> parts{cut, {100, 500, 100, 0, 0}};
  rates.exchange = 1e12;
  EXPECT_DOUBLE_EQ(predicted_product(parts, rates), 0.64e-6 + 0.64e-9 + 10e-6) << "merged";
  rates.row_bytes = 1;
  rates.exchange = 640e6 / 9;
  EXPECT_DOUBLE_EQ(predicted_product(parts, rates), 0.64e-6 + 12.45e-6 + 0.21e-6) << "parted";
  cut.boundary_rows = 50;
  cut.boundary_nonzeros = 500;
  rates.exchange = 640e6 / 12.5;
  EXPECT_DOUBLE_EQ(predicted_product({cut}, rates), 0.64e-6 + 12.56e-6 + 0.2e-6) << "split";
  rates.message_s = 1e-6;
  EXPECT_DOUBLE_EQ(predicted_product({cut}, rates), 0.64e-6 + 13.5e-6 + 0.2e-6);
  rates.row_bytes = 0;
  EXPECT_DOUBLE_EQ(least_product(parts, rates), 7.5e-6);
}

}  // namespace
}  // namespace spmv::test
