// How host kernels load elements of x from scattered places: several by one gather instruction, or each by an
// instruction of its own. Which is faster is a matter of the processor: on some, gather instructions are
// slower than the loads that they stand for.
#pragma once

#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// x[at], by an instruction of its own: compilers would make one gather instruction of neighbouring loads.
template <class T>
T load_alone(const T* x, offset at) {
  if constexpr (is_complex<T>) {
    const auto* const parts = reinterpret_cast<const volatile RealOf<T>*>(x + at);
    const RealOf<T> real = parts[0];
    const RealOf<T> imag = parts[1];
    return {real, imag};
  } else {
    const volatile T* const place = x + at;
    return *place;
  }
}

/// Whether gather instructions are faster than loads of their own on this processor: measured once, in less
/// than a millisecond. Kernels give the same bits either way. Local.
bool gathers_pay();
/// The same where columns lie far from each other: gather instructions go through many rows of each at once, loads through a
/// few, so that it also matters how many streams the processor's prefetchers follow. Local.
bool gathers_pay_far_apart();

}  // namespace spmv
