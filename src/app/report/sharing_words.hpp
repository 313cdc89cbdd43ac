// Sentences about GPUs and cores that ranks share, with the fix. Pure.
#pragma once

#include <string>
#include <vector>

#include "comm/place/sharing.hpp"

namespace spmv {

/// "time slices" or "MPS": how ranks share a GPU.
const char* way_of_sharing(bool mps);

/// Which GPUs ranks share, how, and the fix; empty if none is shared.
std::string gpu_sharing(const std::vector<SharedGpu>& shared);

/// Which hosts of one machine use the same cores, and the fix; empty if none do.
std::string core_sharing(const std::vector<SharedCores>& shared);

}  // namespace spmv
