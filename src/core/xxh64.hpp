#pragma once

#include <cstddef>
#include <cstdint>

namespace spmv {

/// XXH64 [Collet, xxHash specification 0.1.1]: a hash at the speed of memory, against accidents, not against an enemy.
/// On a processor that stores the high byte first the numbers are others. Pure.
std::uint64_t xxh64(const void* bytes, std::size_t size, std::uint64_t seed);

}  // namespace spmv
