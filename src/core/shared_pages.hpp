// Shared memory of backends whose device runs host code: pages of a file that has no name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/backend.hpp"

namespace spmv {

/// Throws Error(memory).
std::unique_ptr<SharedMemory> allocate_shared_pages(std::size_t bytes);
/// Throws Error(environment).
std::unique_ptr<SharedMemory> map_shared_pages(const std::string& handle);

}  // namespace spmv
