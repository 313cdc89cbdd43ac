// spmv_dist generate: a matrix from a formula becomes a Matrix Market file.
#pragma once

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/results.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace spmv {

/// Writes the file, and says on rank 0's standard error what is in it. A process that is ended early leaves
/// neither the file nor parts of it. Collective; throws AgreedError.
ExitCode generate_file(const Communicator& communicator, const Options& options, Watchdog& watchdog,
                       Results& results);

}  // namespace spmv
