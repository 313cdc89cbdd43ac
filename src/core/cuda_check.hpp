// Only for .cu files.
#pragma once

#include <string>

#include <cuda_runtime.h>

#include "core/error.hpp"

namespace spmv {

/// Throws Error if a CUDA call failed: out of memory as ExitCode::memory, anything else as internal.
/// `doing` says what was tried, with the place: "copy to the device (backend_cuda.cu)".
inline void cuda_check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  const auto code = status == cudaErrorMemoryAllocation ? ExitCode::memory : ExitCode::internal;
  throw Error(code, std::string("CUDA failed to ") + doing + ": " + cudaGetErrorName(status) + ", " +
                        cudaGetErrorString(status));
}

}  // namespace spmv
