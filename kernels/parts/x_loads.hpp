// How host kernels load elements of x from scattered places: several by one gather instruction, or each by an
// instruction of its own. Which is faster depends on the processor: on some, gather instructions are
// slower than the loads that they replace.
#pragma once

#include "core/types.hpp"

namespace spmv {

/// x[at], by an instruction of its own. Compilers make one gather instruction of neighbouring loads, but not where they know
/// nothing about the place of each.
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
