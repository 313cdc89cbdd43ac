#pragma once

#include <omp.h>

#include "core/types.hpp"

namespace spmv {

/// First item of part `part` of `parts` when `count` items are cut into contiguous parts of like cost. Item i
/// costs prefix[i + 1] - prefix[i] nonzeros and 1 for itself: an empty row costs too. `prefix` has count + 1
/// elements.
inline offset first_of_part(const offset* prefix, offset count, int part, int parts) {
  const offset cost = prefix[count] + count;
  const offset target = cost / parts * part + cost % parts * part / parts;
  offset low = 0;
  offset high = count;
  while (low < high) {
    const offset middle = low + (high - low) / 2;
    if (prefix[middle] + middle < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Calls each(first, last) in every thread, with the items first to last - 1 that are its part of `count` ones.
template <class Each>
void for_balanced_parts(const offset* prefix, offset count, const Each& each) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num(), parts = omp_get_num_threads();
    each(first_of_part(prefix, count, part, parts), first_of_part(prefix, count, part + 1, parts));
  }
}

}  // namespace spmv
