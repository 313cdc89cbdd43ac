#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/csr.hpp"
#include "core/types.hpp"

namespace spmv {

/// Which rank owns which contiguous range of global ids: rows of A and y, or columns of A and elements of x.
/// Immutable; the same on every rank; ranks may own nothing.
///
///   offsets 0 2 4 5:   rank 0 owns 0 1, rank 1 owns 2 3, rank 2 owns 4
class RowPartition {
 public:
  /// offsets: ascending, one more than ranks, offsets[r] is the first id of rank r.
  explicit RowPartition(std::vector<gidx> offsets) : offsets_(std::move(offsets)) {}

  /// As even as it goes: sizes differ by one at most, larger ones first.
  static RowPartition even(gidx total, int ranks) {
    std::vector<gidx> offsets(static_cast<std::size_t>(ranks) + 1);
    for (int r = 0; r <= ranks; ++r)
      offsets[static_cast<std::size_t>(r)] = total / ranks * r + std::min<gidx>(r, total % ranks);
    return RowPartition(std::move(offsets));
  }
  static RowPartition from_counts(const std::vector<gidx>& counts) {
    std::vector<gidx> offsets{0};
    for (const gidx count : counts) offsets.push_back(offsets.back() + count);
    return RowPartition(std::move(offsets));
  }

  int ranks() const { return static_cast<int>(offsets_.size()) - 1; }
  gidx total() const { return offsets_.back(); }
  gidx first(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  gidx count(int rank) const { return first(rank + 1) - first(rank); }
  /// The ids that `rank` owns, ascending.
  std::vector<gidx> ids(int rank) const {
    std::vector<gidx> all(static_cast<std::size_t>(count(rank)));
    std::iota(all.begin(), all.end(), first(rank));
    return all;
  }
  /// 0 <= id < total().
  int owner(gidx id) const {
    return static_cast<int>(std::upper_bound(offsets_.begin(), offsets_.end(), id) - offsets_.begin()) - 1;
  }
  /// How many of these ascending ids each rank owns.
  std::vector<offset> count_by_owner(const std::vector<gidx>& ids) const {
    std::vector<offset> counts;
    auto from = ids.begin();
    for (int r = 0; r < ranks(); ++r) {
      const auto until = std::lower_bound(from, ids.end(), first(r + 1));
      counts.push_back(until - from);
      from = until;
    }
    return counts;
  }

 private:
  std::vector<gidx> offsets_;
};

/// Who owns which rows of a matrix, with their elements of y, and which columns, with their elements of x.
/// The same on every rank.
struct Ownership {
  RowPartition rows;
  RowPartition cols;  // equals rows for a square matrix

  Shape shape() const { return {rows.total(), cols.total()}; }
  bool square() const { return rows.total() == cols.total(); }

  /// Rows and columns each as even as it goes: how a matrix is read or generated.
  static Ownership even(const Shape& shape, int ranks) {
    return {RowPartition::even(shape.rows, ranks), RowPartition::even(shape.cols, ranks)};
  }
};

}  // namespace spmv
