// Sums that kernels have left in parts, as plain data.
#pragma once

#include <cstddef>

#include "kernels/combine/program.hpp"
#include "kernels/combine/scalars.hpp"

namespace spmv {

/// Slots that follow each other, each with its parts.
template <class S>
struct PartialSums {
  int count = 0;
  S* slot = nullptr;  // of `count` slots
  const S* part[most_sums] = {};
  int parts[most_sums] = {};
};

template <class T>
PartialSums<ScalarOf<T>> partial_sums(Scalars<T>& scalars, SummedSlots slots) {
  PartialSums<ScalarOf<T>> sums;
  sums.count = slots.count;
  sums.slot = scalars.slot(slots.first);
  for (int i = 0; i < slots.count; ++i) {
    sums.part[i] = scalars.view().partial + static_cast<std::ptrdiff_t>(slots.first + i) * most_parts;
    sums.parts[i] = scalars.parts(slots.first + i);
  }
  return sums;
}

}  // namespace spmv
