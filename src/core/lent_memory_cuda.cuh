// Device memory that ranks lend each other, by CUDA's IPC handles.
#pragma once

#include <cstddef>
#include <memory>

#include "core/backend.hpp"
#include "core/lent_token.hpp"

namespace spmv {

/// Memory of the current device, filled with zeros, that other processes can map. Throws Error(memory) or what
/// cuda_check() throws.
std::unique_ptr<LentMemory> lend_device_memory(std::size_t bytes);
/// Another process's. Throws Error(environment) where it cannot be mapped, or is not the memory that was lent.
std::unique_ptr<SharedMemory> map_device_memory(const LentHandle& lent);

}  // namespace spmv
