#pragma once

#include <cuda_runtime.h>

namespace spmv {

/// Widen<D>::from() gives back the device value that was stored in half its size.
template <class D>
struct Widen {
  using Half = D;
  __device__ static D from(D half) { return half; }
};
template <>
struct Widen<double> {
  using Half = float;
  __device__ static double from(float half) { return half; }
};
template <>
struct Widen<double2> {
  using Half = float2;
  __device__ static double2 from(float2 half) { return {half.x, half.y}; }
};

}  // namespace spmv
