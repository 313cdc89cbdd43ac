// What ranks have in common that each should have alone, and what to do. Pure.
#pragma once

#include <string>
#include <vector>

#include "comm/place/sharing.hpp"

namespace spmv {

/// "time slices" or "MPS": how ranks share a GPU.
const char* way_of_sharing(bool mps);

/// That ranks share GPUs, how, and what to do; empty where none is shared.
std::string gpu_sharing(const std::vector<SharedGpu>& shared);

/// That hosts which are one machine use the same cores, and what to do; empty where they don't.
std::string core_sharing(const std::vector<SharedCores>& shared);

}  // namespace spmv
