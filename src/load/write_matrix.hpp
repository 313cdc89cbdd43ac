// Writes a generated matrix to a Matrix Market file.
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

/// Called while write_matrix() works. Functions may be empty.
struct WriteProgress {
  StageListener stage;
  /// Called once, on rank 0, when the file is opened. `path` must be removed if the process ends early; empty: nothing
  /// has to be removed.
  std::function<void(const std::string& path)> unfinished;
};

/// Writes all rows of `source` in value type T to a Matrix Market file, compressed if the path ends in ".gz". In turns,
/// every rank makes and formats some rows, and rank 0 writes them in order. A rank holds a few MiB of text, or one row;
/// rank 0 holds as much from every rank. Without compression the file is the same for every number of ranks. It appears
/// at `path` when it is complete. Collective; throws AgreedError.
template <class T>
WrittenMatrix write_matrix(const Communicator& communicator, const RowSource& source,
                           const std::string& comment, const std::string& path,
                           const WriteProgress& progress = {});

}  // namespace spmv
