// Chunks of rows, in which host kernels go through formats that store neighbouring rows side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "core/types.hpp"

namespace spmv {

inline constexpr int most_chunk_rows = 64;  // whole cache lines; few enough for the sums to stay in L1

inline offset chunk_count(lidx rows, int chunk_rows) {
  return (static_cast<offset>(rows) + chunk_rows - 1) / chunk_rows;
}

/// Nonzeros before every chunk, and all of them at the end: chunk_count() + 1 elements.
inline std::vector<offset> chunk_nonzeros(const std::vector<lidx>& row_length, int chunk_rows) {
  std::vector<offset> before(chunk_count(static_cast<lidx>(row_length.size()), chunk_rows) + 1, 0);
  for (std::size_t row = 0; row < row_length.size(); ++row) before[row / chunk_rows + 1] += row_length[row];
  for (std::size_t chunk = 1; chunk < before.size(); ++chunk) before[chunk] += before[chunk - 1];
  return before;
}

}  // namespace spmv
