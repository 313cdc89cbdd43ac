// Moves rows from the ranks that read them to the ranks that own them, and gives every rank a contiguous range of ids.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/partitioner.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// One rank's part of a distributed matrix. Row i of the block is global row rows.first(rank) + i.
template <class T>
struct DistributedRows {
  Shape shape;
  RowPartition rows;
  RowPartition cols;               // equals rows for a square matrix
  Csr<T> block;                    // columns in local numbers, see number_columns()
  std::vector<gidx> ghosts;        // global id of every element of the halo; ascending
  std::vector<gidx> original_row;  // the id that each of this rank's rows had when it was read
  std::vector<gidx> original_col;  // likewise for each of its columns (its elements of x)

  bool square() const { return shape.rows == shape.cols; }
  /// Columns 0 to owned() - 1 of the block are this rank's own elements of x; all others are ghosts.
  lidx owned() const { return block.cols - static_cast<lidx>(ghosts.size()); }
};

/// Sends data that belongs to ids from their old owners to their new ones. The new ids of a rank are in the order of the old
/// ids. Immutable.
class Move {
 public:
  /// `owner`: the new owner of each of this rank's old ids. Collective.
  Move(const Communicator& communicator, const std::vector<int>& owner);

  const RowPartition& partition() const { return partition_; }   // of the new ids
  const std::vector<gidx>& new_ids() const { return new_ids_; }  // of this rank's old ids
  bool identity() const { return identity_; }                    // nothing moves, no id changes

  /// Takes one element per old id and returns one per new id. Collective.
  template <class V>
  std::vector<V> carry(const std::vector<V>& values) const {
    if (identity_) return values;
    std::vector<V> sorted(values.size());
    for (std::size_t i = 0; i < order_.size(); ++i) sorted[i] = values[static_cast<std::size_t>(order_[i])];
    return communicator_.all_to_all(sorted, counts_).data;
  }

  /// The reverse: takes one element per new id and returns one per old id. Collective.
  template <class V>
  std::vector<V> carry_back(const std::vector<V>& values) const {
    if (identity_) return values;
    const std::vector<V> sorted =
        communicator_.all_to_all(values, communicator_.all_to_all(order_, counts_).counts).data;
    std::vector<V> back(sorted.size());
    for (std::size_t i = 0; i < order_.size(); ++i) back[static_cast<std::size_t>(order_[i])] = sorted[i];
    return back;
  }

  /// The same for rows of any length: takes one element per nonzero, with row_ptr as in Csr, and returns one per nonzero of
  /// the new rows. Collective.
  template <class V>
  std::vector<V> carry(const std::vector<offset>& row_ptr, const std::vector<V>& values) const {
    if (identity_) return values;
    std::vector<offset> element_counts(counts_.size(), 0), begin(1, 0);
    auto row = order_.begin();
    for (std::size_t r = 0; r < counts_.size(); ++r)
      for (offset i = 0; i < counts_[r]; ++i, ++row) {
        const auto at = static_cast<std::size_t>(*row);
        element_counts[r] += row_ptr[at + 1] - row_ptr[at];
        begin.push_back(begin.back() + row_ptr[at + 1] - row_ptr[at]);
      }
    std::vector<V> sorted(values.size());
    const auto rows = static_cast<offset>(order_.size());
#pragma omp parallel for schedule(static)
    for (offset i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(order_[static_cast<std::size_t>(i)]);
      std::copy(values.begin() + row_ptr[at], values.begin() + row_ptr[at + 1],
                sorted.begin() + begin[static_cast<std::size_t>(i)]);
    }
    return communicator_.all_to_all(sorted, element_counts).data;
  }

 private:
  Communicator communicator_;
  std::vector<offset> counts_;  // ids that go to each rank
  std::vector<gidx> order_;     // this rank's old ids (from 0), sorted by new owner
  std::vector<gidx> new_ids_;
  RowPartition partition_;
  bool identity_ = false;
};

/// The moves of the rows and of the elements of x of a matrix.
struct Moves {
  Move rows;
  Move cols;  // the same for a square matrix, whose x is distributed like its rows
};

/// The moves from the owners in `read` to those that `assignment` names. Collective.
inline Moves moves_to(const Communicator& communicator, const Ownership& read, const Assignment& assignment) {
  const Move rows(communicator, assignment.rows);
  return {rows, read.square() ? rows : Move(communicator, assignment.cols)};
}

/// The rows where they are, with their columns in local numbers; original_row and original_col stay empty. `block` is
/// consumed. Collective; throws AgreedError as number_columns() throws Error.
template <class T>
DistributedRows<T> keep_rows(const Communicator& communicator, const Ownership& owners, RowBlock<T> block);

/// Sends the rows to their new owners, renames their columns, and does as keep_rows() there. `read`: who owned what
/// before. `block` is consumed. Collective; throws as keep_rows().
template <class T>
DistributedRows<T> redistribute(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                                const Moves& moves);

/// Whether any rank needs elements of x that another one owns. Collective.
template <class T>
bool has_halo(const Communicator& communicator, const DistributedRows<T>& rows) {
  return communicator.any_of(!rows.ghosts.empty());
}

}  // namespace spmv
