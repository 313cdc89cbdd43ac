#pragma once

#include "core/backend.hpp"

namespace spmv {

/// Free and total memory of this machine, within the limits of the process's control group (version 1 or 2).
/// Memory that the kernel can reclaim counts as free. Local.
MemoryInfo machine_memory();

}  // namespace spmv
