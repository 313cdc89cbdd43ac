#pragma once

#include "core/types.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// The least of all lanes' values, in every lane; all lanes call it. By shuffles, since GPUs before compute capability 8.0
/// have no instruction for it.
__device__ __forceinline__ lidx warp_least(lidx value) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

}  // namespace spmv
