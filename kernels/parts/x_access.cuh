// Where a kernel finds element c of x.
#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"

namespace spmv {

/// In one array that nobody writes from the kernel's turn on (take_turn() in fused.cuh) until its end.
template <class D>
struct WholeX {
  const D* x;
  __device__ __forceinline__ D operator()(lidx c) const { return __ldg(x + c); }
};

/// Ghosts lie apart, where neighbours have stored them after this kernel began: the read-only path, which
/// knows no order, is not for these.
template <class D>
struct GhostedX {
  const D* x;
  const D* ghost;
  lidx owned;
  __device__ __forceinline__ D operator()(lidx c) const {
    return c < owned ? __ldg(x + c) : __ldcg(ghost + (c - owned));
  }
};

}  // namespace spmv
