#pragma once

#include <cstddef>
#include <optional>

#include "core/backend.hpp"

namespace spmv {

/// Free and total memory of this machine, within the limits of the process's control group (version 1 or 2).
/// Memory that the kernel can reclaim counts as free. Local.
MemoryInfo machine_memory();

/// Bytes of address space that this process may still use (`ulimit -v`); nullopt: no limit. Local.
std::optional<std::size_t> address_space_left();

/// This process's share of machine_memory() among `ranks` processes, at most address_space_left(). Local.
MemoryInfo process_memory(int ranks = 1);

}  // namespace spmv
