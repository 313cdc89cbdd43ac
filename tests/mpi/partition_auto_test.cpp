// What partition auto bases its choice on, and what it chooses.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/partition/local_graph.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/redistribute.hpp"
#include "support/as_read.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

PartitionChoice choice_of(const Communicator& c, const AsRead& read, const PartitionRequest& request) {
  return assign_rows(c, pick(partitioners(), "auto", "partitioner"), read.owners, read.block, request).choice;
}

/// Every edge of a graph of groups, counted one nonzero at a time.
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
    for (gidx g = 0; g < graph.owners.count(c.rank()); ++g) {
      const gidx from = graph.owners.first(c.rank()) + g;
      for (offset k = graph.first[g]; k < graph.first[g + 1]; ++k, ++at) {
        const auto edge = edges.find({from, graph.neighbour[k]});
        ASSERT_NE(edge, edges.end()) << from << " to " << graph.neighbour[k];
        EXPECT_EQ(graph.strength[k], edge->second);
      }
    }
    EXPECT_EQ(c.sum(static_cast<gidx>(at)), static_cast<gidx>(edges.size()));
    // With few groups all are examined; an edge counts even if only the other end's rows contain it.
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
      rows += groups.of(read.owners.rows.first(c.rank()) + row, c.rank()) >= graph.owners.first(c.rank());
    EXPECT_EQ(rows, read.owners.rows.count(c.rank()));
  }
}

// Three unknowns per grid point: a rank's first rows may continue the previous rank's last point.
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
  request.rates.exchange = 1e15;  // the exchange is hidden
  request.rates.message_s = 0;
  const PartitionChoice choice = choice_of(c, AsRead(c, "stencil7:9,9,28"), request);
  EXPECT_EQ(choice.taken, "rows") << choice.reason;
}

TEST(PartitionAuto, TakesRowsUnseenWhereFewProductsCannotPayForOthers) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const AsRead read(c, "shuffled:1,stencil7:16,16,16");
  PartitionRequest request{.products = 1};
  request.rates.message_s = 0;
  PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "rows") << choice.reason;
  EXPECT_TRUE(choice.predicted.empty()) << "no partition was examined";
  EXPECT_NE(choice.reason.find("in 1 products, and moving the rows"), std::string::npos) << choice.reason;
  request.rates.exchange = 1e6;  // a product takes 50 ms: reducing the halo may be worth it
  choice = choice_of(c, read, request);
  EXPECT_FALSE(choice.predicted.empty()) << choice.reason;
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

/// METIS's partition, as if a file had stored it under `name`.
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
  // A partition that no partitioner makes.
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
    // As good as METIS's, but different, to tell them apart.
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
  // Computation hides neither the halo of rows in file order nor that of all rows on one rank.
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
  for (const double products : {1e5, 1e12}) {  // METIS is not called, or finds nothing better
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
  // Chains of coupled blocks of 64 rows; the rows list the blocks of all chains in turn.
  const gidx chains = c.size(), blocks = 6, rows = 64;
  const AsRead read(
      c, matrix_where("dealt blocks", chains * blocks * rows, chains * blocks * rows, [&](gidx i, gidx j) {
        const gidx a = i / rows, b = j / rows;
        return a % chains == b % chains && std::abs(a / chains - b / chains) <= 1 && (i + j) % 2 == 0;
      }));
  PartitionRequest request{.products = 1e6};
  request.rates.exchange = 1e7;  // the exchange is not hidden
  const PartitionChoice choice = choice_of(c, read, request);
  EXPECT_EQ(choice.taken, "metis_groups") << choice.reason;
}

}  // namespace
}  // namespace spmv::test
