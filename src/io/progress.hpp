#pragma once

#include <cstdint>
#include <functional>

namespace spmv {

/// Called after every block of a file with the bytes done and their expected total, or after every block of generated rows
/// with the rows done and their total. May be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace spmv
