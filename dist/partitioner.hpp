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

/// What a partitioner that chooses among others tells of its choice, or whence a partition that was ready has come. Empty
/// where there was nothing to choose.
struct PartitionChoice {
  struct Predicted {
    std::string partitioner;
    double product_s = 0;
  };
  std::string taken;                 // the name of the partitioner whose result this is
  std::string reason;                // a sentence for people
  std::vector<Predicted> predicted;  // of all that were looked at
};

/// The part, which is the rank that will own it, of each of this rank's rows, and of each of its columns (the range Pattern::cols gives it).
/// For a square matrix `cols` stays empty: x is distributed like y.
struct Assignment {
  std::vector<int> rows;
  std::vector<int> cols;
  PartitionChoice choice;
};

/// A partition that was made before, and costs no more than the moving of rows.
struct ReadyPartition {
  std::string partitioner;  // that has made it, by name
  std::string place;        // where it has been kept, for people
  Assignment assignment;
};

/// What a partition is wanted for.
struct PartitionRequest {
  int parts =
      0;  // 0: one for each rank; otherwise any number, to learn of a partition that other ranks will have
  int seed = 1;
  double products = 1000;
  ProductRates rates = {};
  /// Told by a partitioner that chooses among others, before it asks one for a graph partition: that this begins, and
  /// what it is predicted to take. Called on every rank; may be empty.
  std::function<void(const std::string& step, double about_s)> announce = {};
  std::vector<ReadyPartition> ready = {};  // of as many parts, with this seed
};

/// How many parts are wanted. Pure.
inline int parts_of(const Communicator& communicator, const PartitionRequest& request) {
  return request.parts > 0 ? request.parts : communicator.size();
}

/// What this partitioner has made before; nullptr for nothing. Pure.
const ReadyPartition* find_ready(const PartitionRequest& request, std::string_view partitioner);

/// What a partitioner does: Collective; the same request gives the same result; throws AgreedError.
using Assign = Assignment(const Communicator& communicator, const Pattern& pattern,
                          const PartitionRequest& request);

/// Table row: a partitioner by name.
struct Partitioner {
  const char* name;
  const char* summary;
  Assign* assign;
  /// Why this build cannot, and what to do about it; nullptr where it can.
  const char* missing = nullptr;
  /// Whether rank 0 gets the pattern of the whole matrix for it.
  bool gathers_pattern = false;
  /// Whether what it makes is sooner read from a file than made again.
  bool worth_keeping = false;
};

const std::vector<Partitioner>& partitioners();

/// Throws AgreedError(environment) where this build lacks it. Local, the same on all ranks.
void require_built(const Partitioner& partitioner);

/// What `partitioner` makes of the rows as read, or has made before: that needs no more than its name. Collective.
/// Throws AgreedError.
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
