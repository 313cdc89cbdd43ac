#include "dist/prepare/redistribute.hpp"

#include <algorithm>
#include <utility>

#include "core/value_types.hpp"
#include "dist/prepare/column_set.hpp"
#include "dist/prepare/fetch_elements.hpp"
#include "dist/prepare/number_columns.hpp"

namespace spmv {
namespace {

/// Renames old columns; their old owners know the new ids. Collective.
void rename(const Communicator& communicator, const RowPartition& old_cols, const Move& move,
            std::vector<gidx>& cols) {
  const gidx first = old_cols.first(communicator.rank()), count = old_cols.count(communicator.rank());
  const FetchedElements<gidx> new_id(communicator, old_cols, move.new_ids(),
                                     columns_outside(cols, first, count));
  const auto nonzeros = static_cast<offset>(cols.size());
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < nonzeros; ++k) {
    gidx& col = cols[static_cast<std::size_t>(k)];
    const bool own = col >= first && col < first + count;
    col = own ? move.new_ids()[static_cast<std::size_t>(col - first)] : new_id(col);
  }
}

/// The rows at their new owners, with the new ids of their columns. Collective.
template <class T>
RowBlock<T> move_rows(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                      const Moves& moves) {
  const Move &row_move = moves.rows, &col_move = moves.cols;
  if (!col_move.identity()) rename(communicator, read.cols, col_move, block.col);
  block.first_row = row_move.partition().first(communicator.rank());
  if (row_move.identity()) return block;
  std::vector<offset> lengths(static_cast<std::size_t>(block.rows()));
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = block.row_ptr[i + 1] - block.row_ptr[i];
  RowBlock<T> moved;
  moved.first_row = block.first_row;
  for (const offset length : row_move.carry(lengths)) moved.row_ptr.push_back(moved.row_ptr.back() + length);
  moved.col = row_move.carry(block.row_ptr, block.col);
  std::vector<gidx>().swap(block.col);
  moved.value = row_move.carry(block.row_ptr, block.value);
  return moved;
}

}  // namespace

Move::Move(const Communicator& communicator, const std::vector<int>& owner)
    : communicator_(communicator),
      counts_(static_cast<std::size_t>(communicator.size()), 0),
      partition_({0}) {
  for (const int rank : owner) ++counts_[static_cast<std::size_t>(rank)];
  partition_ = RowPartition::from_counts(communicator.sum(counts_));
  const std::vector<gidx> below = communicator.sum_below(counts_);

  std::vector<gidx> next(counts_.size());
  for (std::size_t r = 0; r < next.size(); ++r) next[r] = partition_.first(static_cast<int>(r)) + below[r];
  new_ids_.reserve(owner.size());
  for (const int rank : owner) new_ids_.push_back(next[static_cast<std::size_t>(rank)]++);

  order_.resize(owner.size());
  std::vector<std::size_t> place(counts_.size(), 0);  // of the next id that goes to each rank
  for (std::size_t r = 1; r < place.size(); ++r)
    place[r] = place[r - 1] + static_cast<std::size_t>(counts_[r - 1]);
  for (std::size_t i = 0; i < owner.size(); ++i)
    order_[place[static_cast<std::size_t>(owner[i])]++] = static_cast<gidx>(i);
  const bool all_stay =
      std::all_of(owner.begin(), owner.end(), [&](int rank) { return rank == communicator.rank(); });
  identity_ = communicator.all_of(all_stay);
}

template <class T>
DistributedRows<T> keep_rows(const Communicator& communicator, const Ownership& owners, RowBlock<T> block) {
  const int me = communicator.rank();
  NumberedRows<T> numbered = communicator.together(
      [&] { return number_columns(std::move(block), owners.cols.first(me), owners.cols.count(me)); });
  return {owners.shape(),
          owners.rows,
          owners.cols,
          std::move(numbered.block),
          std::move(numbered.ghosts),
          {},
          {}};
}

template <class T>
DistributedRows<T> redistribute(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                                const Moves& moves) {
  const int me = communicator.rank();
  std::vector<gidx> original_row = moves.rows.carry(read.rows.ids(me));
  std::vector<gidx> original_col = read.square() ? original_row : moves.cols.carry(read.cols.ids(me));
  block = move_rows(communicator, read, std::move(block), moves);
  DistributedRows<T> moved =
      keep_rows(communicator, {moves.rows.partition(), moves.cols.partition()}, std::move(block));
  moved.original_row = std::move(original_row);
  moved.original_col = std::move(original_col);
  return moved;
}

SPMV_INSTANTIATE(keep_rows);
SPMV_INSTANTIATE(redistribute);

}  // namespace spmv
