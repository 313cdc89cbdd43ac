#pragma once

#include <cstdlib>

namespace spmv::test {

/// Whether SPMV_THOROUGH=1: run every combination, where a usual run lets them take turns. Takes several
/// times as long.
inline bool thorough() {
  return std::getenv("SPMV_THOROUGH") != nullptr;
}

}  // namespace spmv::test
