#pragma once

#include "app/launch/machine.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "comm/communicator.hpp"

namespace spmv {

/// Examines the launch that it is part of: launcher, MPI, cores, GPUs, and every transport by a real exchange
/// around a ring of all ranks. Prints a verdict for each on rank 0, with the fix. Returns ok where nothing
/// is a problem, else environment; the same on every rank. Collective; throws AgreedError.
ExitCode examine(const Communicator& communicator, const Options& options, Watchdog& watchdog);

}  // namespace spmv
