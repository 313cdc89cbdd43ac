#pragma once

#include <functional>
#include <string>

#include "dist/partitioner.hpp"
#include "load/load_rows.hpp"

namespace spmv {

/// A user's folder with binary copies of matrix files and partitions of these matrices, from which the next run of the
/// same file starts. A copy is used only if the checksum of all bytes of the file, which every run reads again, is that
/// of the bytes from which the copy was made; names, times and inodes do not count. The cache never ends a run: a copy
/// that cannot be read or written is reported in a warning, and the run goes on without it.
class MatrixCache {
 public:
  /// On rank 0: the cache writes the file for `path` under the name `temporary`, which is empty when the file is complete.
  using Drafted = std::function<void(const std::string& path, const std::string& temporary)>;

  /// Makes the folder if there is none. With an empty `folder`, or a source that is a generator, nothing is read or
  /// kept. `progress` has all its functions; `communicator` must outlive this. Collective.
  MatrixCache(const Communicator& communicator, MatrixSource source, const std::string& folder,
              LoadProgress progress, Drafted drafted);

  /// This rank's rows as load_rows() gives them: from the copy, or from the source, whose copy is then kept.
  /// Collective; throws AgreedError as load_rows(), and if the source has changed meanwhile.
  template <class T>
  RowBlock<T> load(const RowPartition& rows) const;

  /// Adds to request.ready the kept partitions for this number of ranks and this seed that `partitioner` made, or any
  /// partitioner if the name is empty. Collective.
  void find(PartitionRequest& request, const Ownership& read, const std::string& partitioner) const;
  /// Keeps what `partitioner` made, unless it was ready or is quickly made again. Collective.
  void keep(const Assignment& assignment, const PartitionRequest& request, const Ownership& read,
            const std::string& partitioner) const;

 private:
  bool is_there() const { return !base_.empty(); }
  std::string copy_file() const;
  std::string partition_file(const PartitionRequest& request, const std::string& partitioner) const;
  template <class T>
  RowBlock<T> load_and_keep(const RowPartition& rows) const;
  /// The checksum of the source's bytes now. Collective; throws AgreedError.
  std::string content() const;
  /// Whether rank 0 finds a regular file of this user at `path`. Collective.
  bool holds(const std::string& path) const;
  /// Returns whether use() read a file of the cache; warns if its content was not what it should be. Collective.
  template <class Use>
  bool try_to_read(const Use& use) const;
  /// Writes a file of the cache by save(options); warns if that fails. Collective.
  template <class Save>
  void write(const std::string& path, const Save& save) const;

  const Communicator& communicator_;
  MatrixSource source_;
  LoadProgress progress_;
  Drafted drafted_;
  std::string content_;  // of the source when the cache was opened
  std::string base_;     // of the names of all files that belong to this matrix; empty without a cache
};

}  // namespace spmv
