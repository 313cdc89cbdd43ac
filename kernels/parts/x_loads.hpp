// How host kernels load elements of x from scattered places: several by one gather instruction, or each by an
// instruction of its own. Which is faster is a matter of the processor: on some, gather instructions are
// slower than the loads that they stand for.
#pragma once

#include "core/types.hpp"

namespace spmv {

/// x[at], by an instruction of its own: compilers make one gather instruction of neighbouring loads, but none, as far as they
/// have been seen to, where each place is a number that they know nothing about.
template <class T>
T load_alone(const T* x, offset at) {
  asm("" : "+r"(at));
  return x[at];
}

/// Whether gather instructions are faster than loads of their own on this processor: measured once, in less
/// than a millisecond. Kernels give the same bits either way. Local.
bool gathers_pay();
/// The same where columns lie far from each other: gather instructions go through many rows of each at once, loads through a
/// few, so that it also matters how many streams the processor's prefetchers follow. Local.
bool gathers_pay_far_apart();

}  // namespace spmv
