// spmv_dist info: how much memory a run would need.
#pragma once

#include "app/run/run.hpp"
#include "core/error.hpp"

namespace spmv {

/// Prints what every rank would need, by part and at which time, for each number of ranks that the options
/// name, and whether that fits this machine's free memory if all of them run here. The matrix is not loaded:
/// of a file the header is read, of a generator some rows are made. Returns ok if all fit, else memory. For
/// one rank. Throws AgreedError.
ExitCode tell_memory(const Run& run);

}  // namespace spmv
