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
    for (const Partitioner& partitioner : partitioners()) {
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
  for (const Partitioner& partitioner : partitioners())
    for (const int seed : {1, 17}) {
      const Assignment first = assign_rows(c, partitioner, read.owners, read.block, {.seed = seed});
      const Assignment second = assign_rows(c, partitioner, read.owners, read.block, {.seed = seed});
      EXPECT_EQ(first.rows, second.rows) << partitioner.name;
    }
}

TEST(Partitioners, NonzerosAreBalanced) {
  const Communicator& c = world();
  const ReadMatrix read(c, shuffled_grid());
  for (const char* name : {"nonzeros", "metis"}) {
    const auto& partitioner = pick(partitioners(), name, "partitioner");
    EXPECT_LT(quality(c, read, read.assigned(c, partitioner)).nonzero_balance, 1.06) << name;
  }
}

// The first rows hold nearly all nonzeros: even ranges would give them to rank 0.
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

TEST(Partitioners, MetisFindsTheGridAgain) {
  const Communicator& c = world();
  if (c.size() == 1) return;
  const ReadMatrix read(c, shuffled_grid());
  const auto cut = [&](const char* name) {
    return quality(c, read, read.assigned(c, pick(partitioners(), name, "partitioner"))).edge_cut;
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
  const Assignment assignment = read.assigned(c, metis);
  const Move rows(c, assignment.rows), cols(c, assignment.cols);
  const auto moved = redistribute(c, read.owners, read.block, {rows, cols});
  const gidx cut = std::count_if(moved.block.col.begin(), moved.block.col.end(),
                                 [&](lidx col) { return col >= moved.owned(); });
  EXPECT_LE(c.sum(cut), c.sum(moved.block.nonzeros()) / 4);
}

}  // namespace
}  // namespace spmv::test
