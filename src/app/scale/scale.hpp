// Command scale: strong and weak scaling studies that can be gone on with.
#pragma once

#include "app/options.hpp"
#include "core/error.hpp"

namespace spmv {

/// Measures every point of the study that the file of points does not have yet, one run after the other, each in processes of its own, and prints
/// the table. Throws Error: usage for options that contradict each other, input and environment as PointsFile, and with the exit code of a run that
/// fails. Local; starts no MPI itself.
ExitCode run_study(const Options& options);

}  // namespace spmv
