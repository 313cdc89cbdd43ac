#include "dist/prepare/redistribute.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "dist/prepare/assemble.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "support/as_read.hpp"
#include "support/matrix_battery.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

/// Owners in random order.
std::vector<int> scrambled_owners(const RowPartition& ids, int rank, gidx salt) {
  std::vector<int> owner;
  for (gidx id = ids.first(rank); id < ids.first(rank + 1); ++id)
    owner.push_back(static_cast<int>(scramble(id + 1, salt, ids.ranks())));
  return owner;
}

std::vector<gidx> own_ids(const RowPartition& ids, int rank) {
  std::vector<gidx> list;
  for (gidx id = ids.first(rank); id < ids.first(rank + 1); ++id) list.push_back(id);
  return list;
}

TEST(Move, NewIdsAreAPermutationThatFollowsTheOwners) {
  const Communicator& c = world();
  for (const gidx total : {gidx{0}, gidx{1}, gidx{5}, gidx{97}}) {
    const RowPartition old = RowPartition::even(total, c.size());
    const std::vector<int> owner = scrambled_owners(old, c.rank(), 3);
    const Move move(c, owner);
    EXPECT_EQ(move.partition().total(), total);
    ASSERT_EQ(move.new_ids().size(), owner.size());
    for (std::size_t i = 0; i < owner.size(); ++i)
      EXPECT_EQ(move.partition().owner(move.new_ids()[i]), owner[i]);
    // carry() moves data with the rows: every old id's new id arrives at its place, and a rank keeps old ids
    // in order.
    const std::vector<gidx> new_ids = move.carry(move.new_ids());
    const std::vector<gidx> old_ids = move.carry(own_ids(old, c.rank()));
    ASSERT_EQ(static_cast<gidx>(new_ids.size()), move.partition().count(c.rank()));
    for (std::size_t i = 0; i < new_ids.size(); ++i) {
      EXPECT_EQ(new_ids[i], move.partition().first(c.rank()) + static_cast<gidx>(i));
    }
    EXPECT_TRUE(std::is_sorted(old_ids.begin(), old_ids.end()));
  }
}

TEST(Move, CarriesRowsOfAnyLength) {
  const Communicator& c = world();
  const RowPartition old = RowPartition::even(31, c.size());
  const Move move(c, scrambled_owners(old, c.rank(), 5));
  std::vector<offset> row_ptr{0};
  std::vector<gidx> values;
  for (const gidx id : own_ids(old, c.rank())) {
    for (gidx k = 0; k < id % 4; ++k) values.push_back(100 * id + k);
    row_ptr.push_back(static_cast<offset>(values.size()));
  }
  std::vector<gidx> expected;
  for (const gidx id : move.carry(own_ids(old, c.rank())))
    for (gidx k = 0; k < id % 4; ++k) expected.push_back(100 * id + k);
  EXPECT_EQ(move.carry(row_ptr, values), expected);
}

TEST(Move, IsTheIdentityOnlyIfEveryoneStays) {
  const Communicator& c = world();
  const RowPartition old = RowPartition::even(20, c.size());
  const std::vector<int> stay(static_cast<std::size_t>(old.count(c.rank())), c.rank());
  const Move nothing(c, stay);
  EXPECT_TRUE(nothing.identity());
  EXPECT_EQ(nothing.new_ids(), own_ids(old, c.rank()));
  std::vector<int> one_leaves = stay;
  if (c.rank() == 0) one_leaves[0] = c.size() - 1;
  EXPECT_EQ(Move(c, one_leaves).identity(), c.size() == 1);
}

TEST(Move, EverythingToTheLastRank) {
  const Communicator& c = world();
  const RowPartition old = RowPartition::even(9, c.size());
  const Move move(c, std::vector<int>(static_cast<std::size_t>(old.count(c.rank())), c.size() - 1));
  EXPECT_EQ(move.partition().count(c.size() - 1), 9);
  const std::vector<gidx> ids = move.carry(own_ids(old, c.rank()));
  EXPECT_EQ(ids.size(), c.rank() == c.size() - 1 ? 9u : 0u);
}

/// Every stored value of the whole matrix by its original position.
std::map<std::pair<gidx, gidx>, double> by_position(const GlobalMatrix& matrix) {
  std::map<std::pair<gidx, gidx>, double> values;
  for (std::size_t k = 0; k < matrix.at.size(); ++k) values[matrix.at[k]] += battery_value<double>(matrix, k);
  return values;
}

TEST(Redistribute, RowsKeepTheirContentsUnderNewNames) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    SCOPED_TRACE(matrix.name);
    const Ownership read = Ownership::even(matrix.shape, c.size());
    RowBlock<double> block = assemble(c, read.rows, dealt_entries<double>(matrix, c.rank(), c.size()));
    const Move row_move(c, scrambled_owners(read.rows, c.rank(), 7));
    const Move col_move = read.square() ? row_move : Move(c, scrambled_owners(read.cols, c.rank(), 11));
    const auto moved = redistribute(c, read, std::move(block), {row_move, col_move});

    const auto mine = static_cast<std::size_t>(moved.rows.count(c.rank()));
    ASSERT_EQ(moved.original_row.size(), mine);
    ASSERT_EQ(moved.block.row_ptr.size(), mine + 1);
    ASSERT_EQ(moved.original_col.size(), static_cast<std::size_t>(moved.cols.count(c.rank())));
    ASSERT_EQ(moved.owned(), moved.cols.count(c.rank()));
    EXPECT_TRUE(!read.square() || moved.original_row == moved.original_col);

    // Every rank learns every column's original id; the ids of all ranks together are a permutation.
    std::vector<gidx> copies;
    for (int r = 0; r < c.size(); ++r)
      copies.insert(copies.end(), moved.original_col.begin(), moved.original_col.end());
    const auto original = c.all_to_all(copies, std::vector<offset>(static_cast<std::size_t>(c.size()),
                                                                   moved.cols.count(c.rank())))
                              .data;
    std::vector<gidx> sorted = original;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<gidx>(i));

    const auto expected = by_position(matrix);
    for (std::size_t i = 0; i < mine; ++i)
      for (offset k = moved.block.row_ptr[i]; k < moved.block.row_ptr[i + 1]; ++k) {
        const lidx col = moved.block.col[k];
        const gidx id = col < moved.owned() ? moved.cols.first(c.rank()) + col
                                            : moved.ghosts[static_cast<std::size_t>(col - moved.owned())];
        const auto position = std::pair(moved.original_row[i], original[static_cast<std::size_t>(id)]);
        ASSERT_EQ(expected.count(position), 1u) << position.first << " " << position.second;
        EXPECT_NEAR(moved.block.value[k], expected.at(position), 1e-14);
      }
    EXPECT_EQ(c.sum(moved.block.nonzeros()), static_cast<gidx>(expected.size()));
  }
}

TEST(PrepareRows, WithoutAnAssignmentRowsStay) {
  const Communicator& c = world();
  for (const GlobalMatrix& matrix : matrix_battery(c.size())) {
    SCOPED_TRACE(matrix.name);
    const AsRead read(c, matrix);
    Assignment stay;
    stay.rows.assign(static_cast<std::size_t>(read.block.rows()), c.rank());
    if (!read.owners.square())
      stay.cols.assign(static_cast<std::size_t>(read.owners.cols.count(c.rank())), c.rank());
    std::vector<std::string> steps;
    const auto kept = prepare_rows(c, read.owners, read.block,
                                   {.announce = [&](const std::string& step) { steps.push_back(step); }});
    const auto moved = prepare_rows(c, read.owners, read.block, {.assignment = stay});
    EXPECT_EQ(steps.size(), 2u);
    EXPECT_FALSE(kept.moves.has_value());
    ASSERT_TRUE(moved.moves.has_value());
    EXPECT_TRUE(moved.moves->rows.identity());
    EXPECT_EQ(kept.rows.shape.rows, matrix.shape.rows);
    EXPECT_EQ(kept.rows.cols.total(), matrix.shape.cols);
    EXPECT_EQ(kept.rows.ghosts, moved.rows.ghosts);
    EXPECT_EQ(kept.rows.block.row_ptr, moved.rows.block.row_ptr);
    EXPECT_EQ(kept.rows.block.col, moved.rows.block.col);
    EXPECT_EQ(kept.rows.block.value, moved.rows.block.value);
  }
}

}  // namespace
}  // namespace spmv::test
