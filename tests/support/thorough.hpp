#pragma once

#include <cstdlib>

namespace spmv::test {

/// Whether combinations that only take turns in a usual run are all wanted, which takes several times as long: SPMV_THOROUGH=1.
inline bool thorough() {
  return std::getenv("SPMV_THOROUGH") != nullptr;
}

}  // namespace spmv::test
