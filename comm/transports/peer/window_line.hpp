// How far apart different ranks write in a window.
#pragma once

#include <cstddef>

namespace spmv {

/// What different ranks write lies so far apart: they share no cache line, and copy engines find it aligned.
inline constexpr std::size_t window_line = 256;

/// Rounded up to whole lines of a window. Pure.
inline std::size_t whole_lines(std::size_t bytes) {
  return (bytes + window_line - 1) / window_line * window_line;
}

}  // namespace spmv
