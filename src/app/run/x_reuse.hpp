#pragma once

#include <cstddef>
#include <vector>

#include "core/csr.hpp"

namespace spmv {

/// The cache between the processors and the memory of a device.
struct Cache {
  double bytes = 0;
  std::size_t line_bytes = 64;  // that a miss loads
};

/// alpha of [Kreutzer 2012, Eq. 1] for this pattern: bytes of x that a product loads from memory, as a share of those that it
/// uses. The rows are walked in their order through a cache that forgets what was not used for longest (16 ways), and that
/// the matrix streams through as well. A line of which few elements are used counts whole, so this may be above 1. 0 for
/// a matrix without nonzeros. Pure.
double alpha_of_pattern(const std::vector<offset>& row_ptr, const std::vector<lidx>& col,
                        std::size_t value_bytes, const Cache& cache);

}  // namespace spmv
