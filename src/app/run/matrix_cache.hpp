#pragma once

#include <string>

#include "app/run/run.hpp"
#include "dist/partitioner.hpp"
#include "load/load_rows.hpp"

namespace spmv {

/// Binary copies of matrices that were read from files, and partitions of them, in a folder of the user's: the next run
/// of the same file starts from there. A copy is taken only if a checksum of all bytes of the file, which every run reads
/// anew, is that of the bytes which the copy was made from; names, times and inodes do not count. The cache helps where
/// it can: what cannot be read or written is told in a warning, and the run goes on without it.
class MatrixCache {
 public:
  /// Without --cache, and for matrices from formulas, nothing is found and nothing kept. Makes the folder where there is
  /// none. Collective.
  MatrixCache(const Run& run, const MatrixSource& source);

  /// This rank's rows, as load_rows() gives them, from the copy or, without one, from the source, of which a copy is
  /// kept then. Collective; throws AgreedError as load_rows(), and where the source has changed meanwhile.
  template <class T>
  RowBlock<T> load(const MatrixSource& source, const RowPartition& rows) const;

  /// Adds to request.ready what is kept of partitions for as many ranks, with this seed: by the partitioner that the
  /// user names, or by any. Collective.
  void find(PartitionRequest& request, const Ownership& read) const;
  /// Keeps what the partitioner has made, unless it was ready, if that is worth keeping. Collective.
  void keep(const Assignment& assignment, const PartitionRequest& request, const Ownership& read) const;

 private:
  bool is_there() const { return !base_.empty(); }
  /// What the source's file holds now. Collective; throws AgreedError.
  std::string content(const MatrixSource& source) const;
  /// The file with what this partitioner has made.
  std::string partition_file(const PartitionRequest& request, const std::string& partitioner) const;
  /// Whether rank 0 sees a file of this user there. Collective.
  bool holds(const std::string& path) const;
  void note(const std::string& sentence) const;
  void warn(const std::string& sentence) const;
  /// Writes a file of the cache by save(options); what fails is told. Collective.
  template <class Save>
  void write(const std::string& path, const Save& save) const;

  const Run& run_;
  std::string content_;  // of the source when it was looked at first
  std::string base_;     // of the names of all files that belong to this matrix; empty without a cache
};

}  // namespace spmv
