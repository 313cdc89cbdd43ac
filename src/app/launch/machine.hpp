// The place where this rank runs, and what is wrong with the launch.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/machine/place.hpp"

namespace spmv {

/// Refuses a launcher that does not belong to MPI, and an MPI without the threads that these modes need.
/// Collective; throws AgreedError(environment).
void require_fit_launch(const Communicator& communicator, const std::vector<std::string>& modes);

/// find_place() for this backend; rank 0 says on stderr which backend auto took, and why in a few words. Sets the calling
/// thread's number of OpenMP threads. Collective; throws AgreedError.
Place find_machine(const Communicator& communicator, const std::string& backend);

/// Both; rank 0 then warns of everything that makes this launch slow for these modes, with the fix. Collective; throws
/// AgreedError.
Place prepare_machine(const Communicator& communicator, const std::string& backend,
                      const std::vector<std::string>& modes = {});
/// The same for commands that multiply nothing: they run on the cores. Collective; throws AgreedError.
Place prepare_host(const Communicator& communicator);

}  // namespace spmv
