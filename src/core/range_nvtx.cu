// Ranges by NVTX 3: headers only, which find a profiler's library when one is attached.
#include <nvtx3/nvToolsExt.h>

#include "core/range.hpp"

namespace spmv {

Range::Range(const char* name) noexcept {
  nvtxRangePushA(name);
}

Range::~Range() {
  nvtxRangePop();
}

}  // namespace spmv
