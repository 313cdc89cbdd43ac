// The place where this rank runs, as the options ask for it, and what is to be said about the launch.
#pragma once

#include <string>
#include <vector>

#include "app/options.hpp"
#include "comm/communicator.hpp"
#include "dist/machine/place.hpp"

namespace spmv {

/// Refuses a launcher that does not belong to MPI, and an MPI without the threads that the modes need.
/// Collective; throws AgreedError(environment).
void require_fit_launch(const Communicator& communicator, const Options& options);

/// find_place() for the options; rank 0 says on stderr which backend auto took, and why in a few words. Sets the calling
/// thread's number of OpenMP threads. Collective; throws AgreedError.
Place find_machine(const Communicator& communicator, const Options& options);

/// What this launch makes slow, each a whole sentence with the fix; the same on every rank. Collective.
std::vector<std::string> launch_warnings(const Communicator& communicator, const Options& options,
                                         const Place& place);

}  // namespace spmv
