#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/assemble.hpp"
#include "dist/partitioner.hpp"
#include "dist/redistribute.hpp"
#include "io/generate/generator.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// A matrix as read: even ranges of rows.
struct ReadMatrix {
  ReadMatrix(const Communicator& c, const GlobalMatrix& matrix)
      : shape(matrix.shape),
        rows(RowPartition::even(shape.rows, c.size())),
        cols(RowPartition::even(shape.cols, c.size())),
        block(assemble(c, rows, dealt_entries<double>(matrix, c.rank(), c.size()))) {}
  Pattern pattern() const { return {shape, rows, cols, block.row_ptr, block.col}; }

  Shape shape;
  RowPartition rows, cols;
  RowBlock<double> block;
};

/// A 7-point stencil on a box, its rows and columns shuffled: even ranges of rows are the worst of
/// partitions.
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

struct Quality {
  double nonzero_balance;  // largest over average
  gidx edge_cut;
};

Quality quality(const Communicator& c, const ReadMatrix& matrix, const Assignment& assignment) {
  const Move move(c, assignment.rows);
  const auto moved = redistribute(c, matrix.pattern(), matrix.block, move, move);
  const gidx first = moved.cols.first(c.rank()), end = moved.cols.first(c.rank() + 1);
  const gidx cut = std::count_if(moved.block.col.begin(), moved.block.col.end(),
                                 [&](gidx col) { return col < first || col >= end; });
  const gidx nonzeros = moved.block.nonzeros();
  return {static_cast<double>(c.max(nonzeros)) * c.size() / static_cast<double>(c.sum(nonzeros)), c.sum(cut)};
}

TEST(Partitioners, EveryRowAndColumnGetsOneOwner) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    const ReadMatrix read(c, matrix);
    for (const Partitioner& partitioner : partitioners()) {
      SCOPED_TRACE(std::string(partitioner.name) + " on " + matrix.name);
      const Assignment assignment = partitioner.assign(c, read.pattern(), 1);
      EXPECT_EQ(static_cast<gidx>(assignment.rows.size()), read.rows.count(c.rank()));
      EXPECT_EQ(static_cast<gidx>(assignment.cols.size()),
                read.pattern().square() ? 0 : read.cols.count(c.rank()));
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
  for (const Partitioner& partitioner : partitioners())
    for (const int seed : {1, 17}) {
      const Assignment first = partitioner.assign(c, read.pattern(), seed);
      const Assignment second = partitioner.assign(c, read.pattern(), seed);
      EXPECT_EQ(first.rows, second.rows) << partitioner.name;
    }
}

TEST(Partitioners, NonzerosAreBalanced) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  for (const char* name : {"nonzeros", "metis"}) {
    const auto& partitioner = pick(partitioners(), name, "partitioner");
    EXPECT_LT(quality(c, read, partitioner.assign(c, read.pattern(), 1)).nonzero_balance, 1.06) << name;
  }
}

// The first rows hold nearly all nonzeros: even ranges would give them to rank 0.
TEST(Partitioners, NonzerosFollowsTheNonzerosNotTheRows) {
  const Communicator& c = world();
  const ReadMatrix read(
      c, matrix_where("heavy head", 400, 400, [](gidx i, gidx j) { return i < 40 ? j % 2 == 0 : i == j; }));
  const auto& partitioner = pick(partitioners(), "nonzeros", "partitioner");
  const Assignment assignment = partitioner.assign(c, read.pattern(), 1);
  EXPECT_TRUE(std::is_sorted(assignment.rows.begin(), assignment.rows.end()));
  EXPECT_LT(quality(c, read, assignment).nonzero_balance, 1.15);
}

TEST(Partitioners, RowsLeavesEverythingInPlace) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  const auto& partitioner = pick(partitioners(), "rows", "partitioner");
  EXPECT_TRUE(Move(c, partitioner.assign(c, read.pattern(), 1).rows).identity());
}

TEST(Partitioners, MetisFindsTheGridAgain) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const ReadMatrix read(c, shuffled_grid());
  const auto cut = [&](const char* name) {
    return quality(c, read, pick(partitioners(), name, "partitioner").assign(c, read.pattern(), 1)).edge_cut;
  };
  EXPECT_LT(2 * cut("metis"), cut("rows"));
}

// Columns go where the rows are that need them.
TEST(Partitioners, MetisPlacesTheColumnsOfARectangle) {
  const Communicator& c = world();
  const gidx n = 12 * c.size();
  // Row i and column j belong together where they are equal after a shuffle; a column serves two rows.
  const ReadMatrix read(c, matrix_where("shuffled pairs", 2 * n, n, [n](gidx i, gidx j) {
                          return (i * 5) % (2 * n) / 2 == (j * 7) % n;
                        }));
  const auto& metis = pick(partitioners(), "metis", "partitioner");
  const Assignment assignment = metis.assign(c, read.pattern(), 1);
  const Move rows(c, assignment.rows), cols(c, assignment.cols);
  const auto moved = redistribute(c, read.pattern(), read.block, rows, cols);
  const gidx first = moved.cols.first(c.rank()), end = moved.cols.first(c.rank() + 1);
  const gidx cut = std::count_if(moved.block.col.begin(), moved.block.col.end(),
                                 [&](gidx col) { return col < first || col >= end; });
  EXPECT_LE(c.sum(cut), c.sum(moved.block.nonzeros()) / 4);
}

}  // namespace
}  // namespace spmv::test
