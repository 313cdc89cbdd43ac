// Shared memory of backends whose device runs host code: pages of a file that has no name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/backend.hpp"

namespace spmv {

/// Keeps a file open until end_lending(). Throws Error(memory), or Error(environment) where the process may open no more
/// files.
std::unique_ptr<LentMemory> allocate_shared_pages(std::size_t bytes);
/// Keeps no file open. Throws Error(environment), also where the handle names other memory in this process.
std::unique_ptr<SharedMemory> map_shared_pages(const std::string& handle);

}  // namespace spmv
