// Where a kernel finds element c of x; c is a lidx, or an offset where more is added to it before it is an address.
#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"

namespace spmv {

/// All of x is one array, and no thread writes it from wait_for_product_before() (fused.cuh) to the end of the kernel. So the
/// read-only path may be used.
template <class D>
struct WholeX {
  const D* x;
  template <class Index>
  __device__ __forceinline__ D operator()(Index c) const {
    return __ldg(x + c);
  }
};

/// The ghosts lie in an array of their own, which neighbours write while this kernel runs. The read-only path assumes
/// that nothing does; an ordinary load may read them once their flags are acquired, and an element of x as well. It is one load
/// from one of two places: with two loads, one of which happens, each waits for the ones before it.
template <class D>
struct GhostedX {
  const D* x;
  const D* ghost;
  lidx owned;
  template <class Index>
  __device__ __forceinline__ D operator()(Index c) const {
    const D* const at = c < owned ? x + c : ghost + (c - owned);
    return *at;
  }
};

}  // namespace spmv
