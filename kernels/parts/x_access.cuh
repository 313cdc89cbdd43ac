// Where a kernel finds element c of x; c is a lidx, or an offset where more is added to it before it is an address.
#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"

namespace spmv {

/// All of x is one array, and nobody writes it from take_turn() (fused.cuh) to the end of the kernel. So the
/// read-only path may be used.
template <class D>
struct WholeX {
  const D* x;
  template <class Index>
  __device__ __forceinline__ D operator()(Index c) const {
    return __ldg(x + c);
  }
};

/// The ghosts lie in an array of their own, which neighbours write while this kernel runs. The read-only path
/// assumes that nobody does, so ghosts are read from the L2 cache, where the neighbours' stores arrive.
template <class D>
struct GhostedX {
  const D* x;
  const D* ghost;
  lidx owned;
  template <class Index>
  __device__ __forceinline__ D operator()(Index c) const {
    return c < owned ? __ldg(x + c) : __ldcg(ghost + (c - owned));
  }
};

}  // namespace spmv
