// One value of each kind, as the device loads it.
#pragma once

#include <cuda_runtime.h>

#include "core/types.hpp"
#include "kernels/parts/value_kind.hpp"

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

/// Bytes of a value as it is stored.
template <ValueKind kind, class D>
constexpr int stored_bytes() {
  return kind == ValueKind::full         ? static_cast<int>(sizeof(D))
         : kind == ValueKind::half       ? static_cast<int>(sizeof(typename Widen<D>::Half))
         : kind == ValueKind::dictionary ? 1
                                         : 0;
}

/// Value number `at` of those that begin at `values`. by.load(address) loads what is stored there, as ReadOnce does.
template <ValueKind kind, class D, class By>
__device__ __forceinline__ D load_value(const By& by, const unsigned char* values,
                                        const D* __restrict__ dictionary, offset at) {
  if constexpr (kind == ValueKind::constant)
    return __ldg(dictionary);
  else if constexpr (kind == ValueKind::dictionary)
    return __ldg(dictionary + by.load(values + at));
  else if constexpr (kind == ValueKind::half)
    return Widen<D>::from(by.load(reinterpret_cast<const typename Widen<D>::Half*>(values) + at));
  else
    return by.load(reinterpret_cast<const D*>(values) + at);
}
/// The same where the kind may be known only when the kernel runs.
template <class D, class By>
__device__ __forceinline__ D load_value(const By& by, ValueKind kind, const unsigned char* values,
                                        const D* __restrict__ dictionary, offset at) {
  return with_value_kind(kind,
                         [&](auto known) { return load_value<known.value>(by, values, dictionary, at); });
}

}  // namespace spmv
