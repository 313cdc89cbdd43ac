// From the rows as read to the rows as assigned: every rank gets a contiguous range of new global ids.
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
  std::vector<gidx> original_row;  // id, as read, of each of this rank's rows
  std::vector<gidx> original_col;  // likewise of each of its columns (its elements of x)

  bool square() const { return shape.rows == shape.cols; }
  /// How many columns of the block, from 0 on, are this rank's own elements of x; all others are ghosts.
  lidx owned() const { return block.cols - static_cast<lidx>(ghosts.size()); }
};

/// Moves data that belongs to ids from their old owners to their new ones; the new ids of a rank keep the
/// order of the old ids. Immutable.
class Move {
 public:
  /// owner: new owner of each of this rank's old ids. Collective.
  Move(const Communicator& communicator, const std::vector<int>& owner);

  const RowPartition& partition() const { return partition_; }   // of the new ids
  const std::vector<gidx>& new_ids() const { return new_ids_; }  // of this rank's old ids
  bool identity() const { return identity_; }                    // nothing moves, no id changes

  /// One element per old id in, one per new id out. Collective.
  template <class V>
  std::vector<V> carry(const std::vector<V>& values) const {
    if (identity_) return values;
    std::vector<V> sorted(values.size());
    for (std::size_t i = 0; i < order_.size(); ++i) sorted[i] = values[static_cast<std::size_t>(order_[i])];
    return communicator_.all_to_all(sorted, counts_).data;
  }

  /// The other way: one element per new id in, one per old id out. Collective.
  template <class V>
  std::vector<V> carry_back(const std::vector<V>& values) const {
    if (identity_) return values;
    const std::vector<V> sorted =
        communicator_.all_to_all(values, communicator_.all_to_all(order_, counts_).counts).data;
    std::vector<V> back(sorted.size());
    for (std::size_t i = 0; i < order_.size(); ++i) back[static_cast<std::size_t>(order_[i])] = sorted[i];
    return back;
  }

  /// Rows of any length: row_ptr as in Csr, one element per nonzero in, likewise out (in the carried rows'
  /// order). Collective.
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

/// Where the rows and the elements of x of a matrix go.
struct Moves {
  Move rows;
  Move cols;  // the same for a square matrix, whose x is distributed like its rows
  PartitionChoice choice = {};
};

/// Where an assignment wants what is now distributed as `read` says. Collective.
inline Moves moves_to(const Communicator& communicator, const Ownership& read, const Assignment& assignment) {
  const Move rows(communicator, assignment.rows);
  return {rows, read.square() ? rows : Move(communicator, assignment.cols), assignment.choice};
}

/// Where `partitioner` wants what is now distributed as `read` says. Collective; throws AgreedError.
template <class T>
Moves find_moves(const Communicator& communicator, const Partitioner& partitioner, const Ownership& read,
                 const RowBlock<T>& block, const PartitionRequest& request) {
  return moves_to(communicator, read, assign_rows(communicator, partitioner, read, block, request));
}

/// Renumbers and moves the rows, and gives their columns local numbers. `read`: who owned what before.
/// `block` is consumed. Collective; throws AgreedError as number_columns() throws Error.
template <class T>
DistributedRows<T> redistribute(const Communicator& communicator, const Ownership& read, RowBlock<T> block,
                                const Moves& moves);

/// Whether any rank needs elements of x that another one owns. Collective.
template <class T>
bool has_halo(const Communicator& communicator, const DistributedRows<T>& rows) {
  return communicator.any_of(!rows.ghosts.empty());
}

}  // namespace spmv
