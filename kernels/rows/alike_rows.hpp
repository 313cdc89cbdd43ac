// Rows with the columns of the row before, as unknowns of one point have: a core reads columns and x for several at once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/csr.hpp"

namespace spmv {

/// Most rows that are multiplied at once: each has sums in registers.
inline constexpr int most_alike_rows = 6;

struct AlikeRows {
  /// Of every row, 1 if it has the very columns of the row before, in their order; empty where hardly any has.
  std::vector<std::uint8_t> alike;
  offset nonzeros = 0;  // of those
};

/// Local, OpenMP over rows. Pure.
template <class T>
AlikeRows find_alike_rows(const Csr<T>& block);

}  // namespace spmv
