// What a combination does, apart from where its vectors are and how large its coefficients: two numbers. Kernels that have
// them as template arguments are as fast as if they were written for this combination alone.
#pragma once

#include <cstdint>

#include "kernels/combine/combination.hpp"

namespace spmv {

/// Bit fields. changes: 10 bits a change, [vectors that have a term: 6, or two factors: 3 + 3][multiplies: 1][target: 3].
/// rest: [sums: 6 bits each, a and b][sums: 3][changes: 3][stored: 6][loaded: 6].
struct Recipe {
  std::uint64_t changes_code = 0;
  std::uint64_t rest_code = 0;

  constexpr bool loads(int v) const { return (rest_code >> v & 1) != 0; }
  constexpr bool stores(int v) const { return (rest_code >> (6 + v) & 1) != 0; }
  constexpr int changes() const { return static_cast<int>(rest_code >> 12 & 7); }
  constexpr int sums() const { return static_cast<int>(rest_code >> 15 & 7); }
  constexpr int sum_a(int i) const { return static_cast<int>(rest_code >> (18 + 6 * i) & 7); }
  constexpr int sum_b(int i) const { return static_cast<int>(rest_code >> (21 + 6 * i) & 7); }
  constexpr int target(int c) const { return static_cast<int>(changes_code >> (10 * c) & 7); }
  constexpr bool multiplies(int c) const { return (changes_code >> (10 * c + 3) & 1) != 0; }
  constexpr bool has_term(int c, int v) const { return (changes_code >> (10 * c + 4 + v) & 1) != 0; }
  constexpr int factor(int c, int i) const {
    return static_cast<int>(changes_code >> (10 * c + 4 + 3 * i) & 7);
  }
  constexpr bool operator==(const Recipe& other) const {
    return changes_code == other.changes_code && rest_code == other.rest_code;
  }
};

/// The same combination with its vectors in the order in which changes and sums name them, so that recipes do not depend on
/// the order in which vectors were declared. Pure.
template <class T>
constexpr CombinationData<T> renumbered(const CombinationData<T>& data) {
  CombinationData<T> result = data;
  int new_number[most_vectors] = {-1, -1, -1, -1, -1, -1};
  result.vectors = 0;
  result.loaded = result.stored = 0;
  const auto number = [&](std::int8_t old) {
    int& known = new_number[old];
    if (known < 0) {
      known = result.vectors;
      result.at[known] = data.at[old];
      if ((data.loaded >> old & 1) != 0) result.loaded |= static_cast<std::uint8_t>(1 << known);
      if ((data.stored >> old & 1) != 0) result.stored |= static_cast<std::uint8_t>(1 << known);
      ++result.vectors;
    }
    return static_cast<std::int8_t>(known);
  };
  for (int c = 0; c < data.changes; ++c) {
    result.change[c].target = number(data.change[c].target);
    for (int t = 0; t < data.change[c].terms; ++t)
      result.change[c].term[t].vector = number(data.change[c].term[t].vector);
  }
  for (int i = 0; i < data.sums; ++i) {
    result.sum[i].a = number(data.sum[i].a);
    result.sum[i].b = number(data.sum[i].b);
  }
  return result;
}

/// Of a combination that is renumbered(). Pure.
template <class T>
constexpr Recipe recipe_of(const CombinationData<T>& data) {
  Recipe recipe;
  const auto put = [](std::uint64_t& code, int at, int bits) {
    code |= static_cast<std::uint64_t>(bits) << at;
  };
  for (int c = 0; c < data.changes; ++c) {
    const auto& change = data.change[c];
    put(recipe.changes_code, 10 * c, change.target);
    if (change.multiplies) put(recipe.changes_code, 10 * c + 3, 1);
    for (int t = 0; t < change.terms; ++t)
      if (change.multiplies)
        put(recipe.changes_code, 10 * c + 4 + 3 * t, change.term[t].vector);
      else
        put(recipe.changes_code, 10 * c + 4 + change.term[t].vector, 1);
  }
  put(recipe.rest_code, 0, data.loaded);
  put(recipe.rest_code, 6, data.stored);
  put(recipe.rest_code, 12, data.changes);
  put(recipe.rest_code, 15, data.sums);
  for (int i = 0; i < data.sums; ++i) {
    put(recipe.rest_code, 18 + 6 * i, data.sum[i].a);
    put(recipe.rest_code, 21 + 6 * i, data.sum[i].b);
  }
  return recipe;
}

}  // namespace spmv
