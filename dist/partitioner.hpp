// Decides which rank gets which rows. dist/partitioners.cpp is the table; a partitioner is one file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// The pattern of the rows that this rank has read or generated, without values. A view: it must not outlive what it is made
/// of. assign_rows() makes one for each call.
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

/// Bytes that memory moves in a product of one value type.
struct ProductBytes {
  double nonzero =
      12;           // read for a nonzero: value and column; where x is counted here, what it loads of x too
  double row = 16;  // for a row: written of y and, where nonzeros do not count x, read of x
  double element = 8;  // of x
};

/// What partition auto predicts products with. Rates are those of one rank while all ranks work.
struct ProductRates {
  ProductBytes bytes = {};
  double memory = 10e9;      // bytes per second
  double exchange = 5e9;     // bytes of halo per second
  double message_s = 10e-6;  // for each neighbour
};

/// What a partitioner that chooses among others took and why, or where a ready partition was read. Empty if there was nothing
/// to choose.
struct PartitionChoice {
  struct Predicted {
    std::string partitioner;
    double product_s = 0;
  };
  std::string taken;                 // the name of the partitioner whose result this is
  std::string reason;                // a sentence for people
  std::vector<Predicted> predicted;  // of all that were looked at
};

/// The part of each of this rank's rows, and of each column in its range of Pattern::cols: the rank that will own it. For a
/// square matrix `cols` is empty, because x is distributed like y.
struct Assignment {
  std::vector<int> rows;
  std::vector<int> cols;
  PartitionChoice choice;
};

/// A partition that was made before: only rows have to be moved.
struct ReadyPartition {
  std::string partitioner;  // that has made it, by name
  std::string place;        // where it has been kept, for people
  Assignment assignment;
};

/// What a partition is wanted for.
struct PartitionRequest {
  int parts = 0;  // 0: one for each rank; another number, to examine a partition for other ranks
  int seed = 1;
  double products = 1000;
  ProductRates rates = {};
  /// Called on every rank before a graph partition is made, with the seconds that it is predicted to take. May be empty.
  std::function<void(const std::string& step, double about_s)> announce = {};
  std::vector<ReadyPartition> ready = {};  // of as many parts, with this seed
};

/// How many parts are wanted. Pure.
inline int parts_of(const Communicator& communicator, const PartitionRequest& request) {
  return request.parts > 0 ? request.parts : communicator.size();
}

/// The ready partition of this partitioner; nullptr if there is none. Pure.
const ReadyPartition* find_ready(const PartitionRequest& request, std::string_view partitioner);

/// What a partitioner does: Collective; the same request gives the same result; throws AgreedError.
using Assign = Assignment(const Communicator& communicator, const Pattern& pattern,
                          const PartitionRequest& request);

/// Table row: a partitioner by name.
struct Partitioner {
  const char* name;
  const char* summary;
  Assign* assign;
  /// Why this build lacks it, and what to do about that; nullptr if it is there.
  const char* missing = nullptr;
  /// Whether rank 0 gets the pattern of the whole matrix for it.
  bool gathers_pattern = false;
  /// Whether its partitions are worth keeping in a file.
  bool worth_keeping = false;
};

const std::vector<Partitioner>& partitioners();

/// Throws AgreedError(environment) where this build lacks it. Local, the same on all ranks.
void require_built(const Partitioner& partitioner);

/// The partition of the rows as read. A ready one is taken without asking the partitioner. Collective; throws AgreedError.
template <class T>
Assignment assign_rows(const Communicator& communicator, const Partitioner& partitioner,
                       const Ownership& read, const RowBlock<T>& block, const PartitionRequest& request) {
  if (const ReadyPartition* ready = find_ready(request, partitioner.name); ready != nullptr) {
    Assignment assignment = ready->assignment;
    assignment.choice = {ready->partitioner, "read from " + ready->place, {}};
    return assignment;
  }
  require_built(partitioner);
  const Pattern pattern(read, block.row_ptr, block.col);
  return partitioner.assign(communicator, pattern, request);
}

}  // namespace spmv
