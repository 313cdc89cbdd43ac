// From rows on every rank to a .spmv file, or one of PETSc's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/partitioner.hpp"
#include "dist/row_partition.hpp"
#include "io/binary/binary_header.hpp"
#include "load/stage.hpp"

namespace spmv {

/// A partition that is to be stored with a matrix.
struct NewPartition {
  StoredPartition name;
  /// The parts of this rank's rows and columns, made when they are written: no rank holds more than one of many.
  /// Collective; throws AgreedError.
  std::function<Assignment()> make;
};

/// How a file is written, and whom save_matrix() tells how far it is. Functions may be empty.
struct SaveOptions {
  bool pattern = false;                   // without the values, all of which must be 1
  std::uint32_t block_bytes = 1U << 20U;  // that have one checksum; a power of two, 4096 at least
  std::vector<NewPartition> partitions;   // of a .spmv file; 62 at most, see BinaryHeader
  StageListener stage;
  /// On rank 0: under this name the file is written, and is to be removed by whoever ends the process before it
  /// is through; empty when there is no such file any more.
  std::function<void(const std::string& name)> drafted;
};

/// What has been written.
struct SavedMatrix {
  gidx nonzeros = 0;  // of all ranks
  int column_bytes = 0;
  double megabytes = 0;
};

/// Whether every value of all ranks is 1. Collective.
template <class T>
bool all_ones(const Communicator& communicator, const RowBlock<T>& block);

/// Writes a .spmv file of what load_rows() gave each rank of the partition `rows`, to `path`, whole or not at all.
/// Collective; throws AgreedError(environment) where that cannot be, and what was at `path` is still there.
template <class T>
SavedMatrix save_matrix(const Communicator& communicator, const std::string& path, const Shape& shape,
                        const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options = {});

/// As save_matrix(), a binary file that PETSc's MatLoad reads: real values as doubles, complex ones as two; integers of 8
/// bytes where the matrix needs them, for PETSc with 64-bit indices. `options`: those that are no .spmv file's own.
template <class T>
SavedMatrix save_petsc(const Communicator& communicator, const std::string& path, const Shape& shape,
                       const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options = {});

/// Whether a file of this name is to be one of PETSc's: it ends in .petsc. Pure.
bool is_petsc_name(const std::string& path);

}  // namespace spmv
