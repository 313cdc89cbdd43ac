// Decides which rank gets which rows. dist/partitioners.cpp is the table; a partitioner is one file.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// The pattern of the rows this rank read or generated. No value type.
struct Pattern {
  Shape shape;
  const RowPartition& rows;  // of the rows as read
  const RowPartition& cols;
  const std::vector<offset>& row_ptr;
  const std::vector<gidx>& col;

  bool square() const { return shape.rows == shape.cols; }
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
};

const std::vector<Partitioner>& partitioners();

}  // namespace spmv
