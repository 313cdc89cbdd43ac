#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/prepare/redistribute.hpp"
#include "io/generate/generator.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"

namespace spmv::test {
namespace {

/// A matrix as read: even ranges of rows.
struct ReadMatrix {
  ReadMatrix(const Communicator& c, const GlobalMatrix& matrix)
      : owners(Ownership::even(matrix.shape, c.size())),
        block(assemble(c, owners.rows, dealt_entries<double>(matrix, c.rank(), c.size()))) {}
  Assignment assigned(const Communicator& c, const Partitioner& partitioner) const {
    return assign_rows(c, partitioner, owners, block, {});
  }

  Ownership owners;
  RowBlock<double> block;
};

/// A 7-point stencil on a box, shuffled: even ranges of rows are the worst partition.
GlobalMatrix shuffled_grid() {
  const auto source = make_generator("stencil7:9,9,9");
  const auto block = generate_rows<double>(*source, 0, source->shape().rows);
  std::vector<gidx> name(static_cast<std::size_t>(block.rows()));
  std::iota(name.begin(), name.end(), 0);
  std::minstd_rand random(5);
  std::shuffle(name.begin(), name.end(), random);
  GlobalMatrix matrix{"shuffled grid", source->shape(), {}};
  for (gidx i = 0; i < block.rows(); ++i)
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k)
      matrix.at.emplace_back(name[i], name[block.col[k]]);
  return matrix;
}

/// This build's partitioners that minimise the edges between parts, and may separate any two rows.
std::vector<Partitioner> graph_partitioners() {
  std::vector<Partitioner> some;
  for (const Partitioner& row : built_partitioners())
    if (row.name == std::string("metis") || row.name == std::string("scotch")) some.push_back(row);
  return some;
}

struct Quality {
  double nonzero_balance;  // maximum over average
  gidx edge_cut;
};

Quality quality(const Communicator& c, const ReadMatrix& matrix, const Assignment& assignment) {
  const Move move(c, assignment.rows);
  const auto moved = redistribute(c, matrix.owners, matrix.block, {move, move});
  const gidx cut = std::count_if(moved.block.col.begin(), moved.block.col.end(),
                                 [&](lidx col) { return col >= moved.owned(); });
  const gidx nonzeros = moved.block.nonzeros();
  return {static_cast<double>(c.max(nonzeros)) * c.size() / static_cast<double>(c.sum(nonzeros)), c.sum(cut)};
}

TEST(Partitioners, EveryRowAndColumnGetsOneOwner) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    const ReadMatrix read(c, matrix);
    for (const Partitioner& partitioner : built_partitioners()) {
      SCOPED_TRACE(std::string(partitioner.name) + " on " + matrix.name);
      const Assignment assignment = read.assigned(c, partitioner);
      EXPECT_EQ(static_cast<gidx>(assignment.rows.size()), read.owners.rows.count(c.rank()));
      EXPECT_EQ(static_cast<gidx>(assignment.cols.size()),
                read.owners.square() ? 0 : read.owners.cols.count(c.rank()));
      for (const auto& owners : {assignment.rows, assignment.cols})
        for (const int owner : owners) {
          EXPECT_GE(owner, 0);
          EXPECT_LT(owner, c.size());
        }
    }
  }
}

TEST(Partitioners, TheSameSeedGivesTheSameResult) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  for (const Partitioner& partitioner : built_partitioners())
    for (const int seed : {1, 17}) {
      const Assignment first = assign_rows(c, partitioner, read.owners, read.block, {.seed = seed});
      const Assignment second = assign_rows(c, partitioner, read.owners, read.block, {.seed = seed});
      EXPECT_EQ(first.rows, second.rows) << partitioner.name;
    }
}

TEST(Partitioners, WhatTheBuildLacksIsRefusedWithTheReason) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  const Partitioner lacking{
      .name = "best",
      .summary = "",
      .assign = [](const Communicator&, const Pattern&, const PartitionRequest&) -> Assignment {
        throw std::logic_error("used");
      },
      .missing = "not in this build"};
  try {
    read.assigned(c, lacking);
    FAIL() << "assigned";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_STREQ(error.what(), "--partition best: not in this build");
  }
}

TEST(Partitioners, NonzerosAreBalanced) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  std::vector<Partitioner> some = graph_partitioners();
  some.push_back(pick(partitioners(), "nonzeros", "partitioner"));
  for (const Partitioner& partitioner : some)
    EXPECT_LT(quality(c, read, read.assigned(c, partitioner)).nonzero_balance, 1.06) << partitioner.name;
}

// Partitioners must balance nonzeros: a row of many counts as many.
TEST(Partitioners, HeavyRowsAreSpread) {
  const Communicator& c = world();
  const gidx n = 60 * c.size();
  const ReadMatrix read(c, matrix_where("heavy tail", n, n, [n](gidx i, gidx j) {
                          return i == j || i + 1 == j || (i > n - n / 4 && (i * 7 + j) % 3 == 0);
                        }));
  for (const Partitioner& partitioner : graph_partitioners())
    EXPECT_LT(quality(c, read, read.assigned(c, partitioner)).nonzero_balance, 1.2) << partitioner.name;
}

// The first rows hold nearly all nonzeros: even ranges would give them all to rank 0.
TEST(Partitioners, NonzerosFollowsTheNonzerosNotTheRows) {
  const Communicator& c = world();
  const ReadMatrix read(
      c, matrix_where("heavy head", 400, 400, [](gidx i, gidx j) { return i < 40 ? j % 2 == 0 : i == j; }));
  const auto& partitioner = pick(partitioners(), "nonzeros", "partitioner");
  const Assignment assignment = read.assigned(c, partitioner);
  EXPECT_TRUE(std::is_sorted(assignment.rows.begin(), assignment.rows.end()));
  EXPECT_LT(quality(c, read, assignment).nonzero_balance, 1.15);
}

TEST(Partitioners, RowsLeavesEverythingInPlace) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  const auto& partitioner = pick(partitioners(), "rows", "partitioner");
  EXPECT_TRUE(Move(c, read.assigned(c, partitioner).rows).identity());
}

TEST(Partitioners, ThoseOfGraphsFindTheGridAgain) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const ReadMatrix read(c, shuffled_grid());
  const auto cut = [&](const Partitioner& partitioner) {
    return quality(c, read, read.assigned(c, partitioner)).edge_cut;
  };
  const gidx as_read = cut(pick(partitioners(), "rows", "partitioner"));
  for (const Partitioner& partitioner : graph_partitioners())
    EXPECT_LT(2 * cut(partitioner), as_read) << partitioner.name;
}

// Another seed gives another partition, and only the seed matters, not how many random numbers were drawn
// before.
TEST(Partitioners, ThoseOfGraphsFollowTheSeed) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  // Scattered nonzeros: a grid might have one best partition, which every seed finds.
  const ReadMatrix read(c, matrix_where("scattered", 300, 300, [](gidx i, gidx j) {
                          return i == j || (i * 7919 + j * 104729 + i * j * 31) % 97 < 3;
                        }));
  for (const Partitioner& partitioner : graph_partitioners()) {
    const auto first = assign_rows(c, partitioner, read.owners, read.block, {.seed = 1}).rows;
    gidx others = 0;
    for (int seed = 2; seed < 6; ++seed)
      others += assign_rows(c, partitioner, read.owners, read.block, {.seed = seed}).rows != first;
    EXPECT_GT(c.sum(others), 0) << partitioner.name;
    EXPECT_EQ(assign_rows(c, partitioner, read.owners, read.block, {.seed = 1}).rows, first)
        << partitioner.name;
  }
}

// Columns must go to the ranks whose rows need them.
TEST(Partitioners, ThoseOfGraphsPlaceTheColumnsOfARectangle) {
  const Communicator& c = world();
  const gidx n = 12 * c.size();
  // Row i and column j are coupled if they are equal after a shuffle; two rows share a column.
  const ReadMatrix read(c, matrix_where("shuffled pairs", 2 * n, n, [n](gidx i, gidx j) {
                          return (i * 5) % (2 * n) / 2 == (j * 7) % n;
                        }));
  for (const Partitioner& partitioner : graph_partitioners()) {
    const Assignment assignment = read.assigned(c, partitioner);
    const Move rows(c, assignment.rows), cols(c, assignment.cols);
    const auto moved = redistribute(c, read.owners, read.block, {rows, cols});
    const gidx cut = std::count_if(moved.block.col.begin(), moved.block.col.end(),
                                   [&](lidx col) { return col >= moved.owned(); });
    EXPECT_LE(c.sum(cut), c.sum(moved.block.nonzeros()) / 4) << partitioner.name;
  }
}

}  // namespace
}  // namespace spmv::test
