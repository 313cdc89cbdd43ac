#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace spmv {

/// Copies `bytes` bytes by all threads of OpenMP: one of them alone does not reach the memory's bandwidth, and would
/// be the first to touch every page at `to`. Local.
inline void parallel_copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t each = std::size_t{256} << 10;
  const std::size_t parts = (bytes + each - 1) / each;
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
#pragma omp parallel for schedule(static) if (parts > 4)
  for (std::size_t part = 0; part < parts; ++part)
    std::memcpy(target + part * each, source + part * each, std::min(each, bytes - part * each));
}

}  // namespace spmv
