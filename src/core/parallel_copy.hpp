#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace spmv {

/// work(first, count) for pieces of `bytes` bytes; many pieces are shared by all OpenMP threads, because one thread does not
/// reach the memory's bandwidth, and would touch every page first. Local.
template <class Work>
void in_pieces(std::size_t bytes, const Work& work) {
  constexpr std::size_t each = std::size_t{256} << 10;
  const std::size_t parts = (bytes + each - 1) / each;
#pragma omp parallel for schedule(static) if (parts > 4)
  for (std::size_t part = 0; part < parts; ++part) work(part * each, std::min(each, bytes - part * each));
}

/// std::memcpy() in pieces. Local.
inline void parallel_copy(void* to, const void* from, std::size_t bytes) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  in_pieces(bytes, [=](std::size_t first, std::size_t count) {
    std::memcpy(target + first, source + first, count);
  });
}

/// std::memset() in pieces. Local.
inline void parallel_fill(void* at, unsigned char byte, std::size_t bytes) {
  auto* const target = static_cast<std::byte*>(at);
  in_pieces(bytes, [=](std::size_t first, std::size_t count) { std::memset(target + first, byte, count); });
}

}  // namespace spmv
