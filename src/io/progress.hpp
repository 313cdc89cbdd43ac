#pragma once

#include <cstdint>
#include <functional>

namespace spmv {

/// Called after every block of a file with the bytes used so far and their expected total, or after rows that were made
/// with their number and total. May be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace spmv
