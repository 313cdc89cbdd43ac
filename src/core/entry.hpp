#pragma once

#include "core/types.hpp"

namespace spmv {

/// One stored nonzero a(row, col) = value, 0-based global ids. Readers produce these.
template <class T>
struct Entry {
  gidx row;
  gidx col;
  T value;
};

}  // namespace spmv
