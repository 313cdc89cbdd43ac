// Sums whose bits do not depend on how many ranks each node has.
#pragma once

#include "kernels/combine/combination_data.hpp"

namespace spmv {

/// term(0) to term(count - 1), at least one and fewer than 2^8 of them, added in pairs of neighbours, these in pairs, and so on:
/// ((0 + 1) + (2 + 3)) + (4 + 5). So sums that were added first in twos, fours or eights give the same bits.
template <class S, class Term>
constexpr S sum_in_pairs(int count, const Term& term) {
  constexpr int levels = 8;
  S waiting[levels] = {};  // of 2^level terms, for as many that follow them
  for (int i = 0; i < count; ++i) {
    S sum = term(i);
    int level = 0;
    for (; ((i >> level) & 1) != 0; ++level) sum = waiting[level] + sum;
    waiting[level] = sum;
  }
  int level = 0;
  while (((count >> level) & 1) == 0) ++level;
  S total = waiting[level];
  for (++level; level < levels; ++level)
    if (((count >> level) & 1) != 0) total = waiting[level] + total;
  return total;
}

}  // namespace spmv
