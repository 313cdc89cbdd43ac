// A matrix from a formula becomes a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "io/generate/generator.hpp"
#include "load/stage.hpp"

namespace spmv {

/// What was written.
struct WrittenMatrix {
  gidx nonzeros = 0;
  std::uint64_t bytes = 0;
};

/// Whom write_matrix() tells how far it is. Functions may be empty.
struct WriteProgress {
  StageListener stage;
  /// The file has been begun; `path` is what is to be removed if the process has to end before all is written,
  /// empty where nothing has to. On rank 0, once.
  std::function<void(const std::string& path)> unfinished;
};

/// Writes all rows of `source` in value type T as a Matrix Market file, packed if the path ends in ".gz".
/// Every rank makes, spells and packs the rows of its turn, and rank 0 writes them in order: no rank ever
/// holds more than a few MiB of text, or one row, and from every other rank as much. The file is the same to the byte
/// for every number of ranks, if it is not packed. It takes its place when it is complete. Collective; throws AgreedError.
template <class T>
WrittenMatrix write_matrix(const Communicator& communicator, const RowSource& source,
                           const std::string& comment, const std::string& path,
                           const WriteProgress& progress = {});

}  // namespace spmv
