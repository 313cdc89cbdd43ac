// Decides which rank gets which rows. dist/partitioners.cpp is the table; a partitioner is one file.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// A view of the pattern of the rows that this rank read or generated. No value type. It refers to what it is
/// made of; so it is neither copied nor kept: assign_rows() makes one for the time of one call.
struct Pattern {
  Pattern(const Ownership& read, const std::vector<offset>& row_ptr, const std::vector<gidx>& col)
      : rows(read.rows), cols(read.cols), row_ptr(row_ptr), col(col) {}
  Pattern(Ownership&&, const std::vector<offset>&, const std::vector<gidx>&) = delete;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool square() const { return rows.total() == cols.total(); }

  const RowPartition& rows;  // as read
  const RowPartition& cols;
  const std::vector<offset>& row_ptr;  // as in RowBlock
  const std::vector<gidx>& col;
};

/// The new owner of each of this rank's rows, and of each of its columns (the range Pattern::cols gives it).
/// For a square matrix `cols` stays empty: x is distributed like y.
struct Assignment {
  std::vector<int> rows;
  std::vector<int> cols;
};

/// Table row: a partitioner by name.
struct Partitioner {
  const char* name;
  const char* summary;
  /// Collective. The same seed gives the same result. Throws AgreedError.
  Assignment (*assign)(const Communicator& communicator, const Pattern& pattern, int seed);
  /// Whether rank 0 gets the pattern of the whole matrix for it.
  bool gathers_pattern = false;
};

const std::vector<Partitioner>& partitioners();

/// What `partitioner` makes of the rows as read. Collective. Throws AgreedError.
template <class T>
Assignment assign_rows(const Communicator& communicator, const Partitioner& partitioner,
                       const Ownership& read, const RowBlock<T>& block, int seed) {
  const Pattern pattern(read, block.row_ptr, block.col);
  return partitioner.assign(communicator, pattern, seed);
}

}  // namespace spmv
