// Sums by a tree of pairs: see sum_in_pairs().
#pragma once

namespace spmv {

inline constexpr int most_terms_in_pairs = 255;

/// term(0) to term(count - 1), 1 to most_terms_in_pairs of them, added in pairs of neighbours, these in pairs, and so on:
/// ((0 + 1) + (2 + 3)) + (4 + 5). Terms that were added in twos, fours or eights before give the same bits.
template <class S, class Term>
constexpr S sum_in_pairs(int count, const Term& term) {
  constexpr int levels = 8;
  static_assert(most_terms_in_pairs < 1 << levels, "a sum of 2^level terms for every level");
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
