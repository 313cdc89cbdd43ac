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

/// A partition to store with a matrix.
struct NewPartition {
  StoredPartition name;
  /// Makes the parts of this rank's rows and columns; called when they are written, so that a rank holds one partition at a
  /// time. Collective; throws AgreedError.
  std::function<Assignment()> make;
};

/// How a file is written. Functions may be empty.
struct SaveOptions {
  bool pattern = false;                   // write no values; all of them must be 1
  std::uint32_t block_bytes = 1U << 20U;  // of a block with its own checksum; a power of two, 4096 at least
  std::vector<NewPartition> partitions;   // for a .spmv file; 62 at most, see BinaryHeader
  StageListener stage;
  /// Called on rank 0 with the temporary name of the file, which must be removed if the process ends early, and with an
  /// empty name when the file is complete.
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

/// Writes the rows that load_rows() gave each rank of the partition `rows` to a .spmv file, completely or not at all.
/// Collective; throws AgreedError(environment) if that fails, and the old file at `path` is still there.
template <class T>
SavedMatrix save_matrix(const Communicator& communicator, const std::string& path, const Shape& shape,
                        const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options = {});

/// As save_matrix(), but for PETSc's MatLoad: a real value is one double, a complex one two. Integers have 8 bytes if the
/// matrix needs them, for PETSc with 64-bit indices. `options`: only stage and drafted count.
template <class T>
SavedMatrix save_petsc(const Communicator& communicator, const std::string& path, const Shape& shape,
                       const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options = {});

/// Whether the name ends in .petsc, so that a PETSc file is written. Pure.
bool is_petsc_name(const std::string& path);

}  // namespace spmv
