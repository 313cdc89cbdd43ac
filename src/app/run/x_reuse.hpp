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

/// alpha of [Kreutzer 2012, Eq. 1] for this pattern: the bytes of x that a product loads from memory over those that it uses.
/// Simulates a least-recently-used cache of 16 ways, which the matrix streams through as well, with the rows in their order.
/// A loaded line counts whole, so alpha may be above 1. 0 for a matrix without nonzeros. Pure.
double alpha_of_pattern(const std::vector<offset>& row_ptr, const std::vector<lidx>& col,
                        std::size_t value_bytes, const Cache& cache);

}  // namespace spmv
