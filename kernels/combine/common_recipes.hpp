// The combinations of the solvers, written as the solvers write them. Each has a kernel of its own; any other goes through a
// kernel that decides at run time, and is several times slower. Vectors are numbered in the order of vector() and scratch().
#pragma once

#include <array>

#include "kernels/combine/recipe.hpp"

namespace spmv {
namespace recipes {

/// Stands for any vector in memory.
inline char memory = 0;

/// The recipe of what write(combination) makes.
template <class Write>
constexpr Recipe of(const Write& write) {
  Combination<char> c(0);
  write(c);
  return recipe_of(c.data());
}

/// (x, y), (y, y) of a product y = A x.
inline constexpr Recipe product_sums = of([](auto& c) {
  const auto x = c.vector(&memory), y = c.vector(&memory);
  c.sum(0, x, y);
  c.sum(1, y, y);
});
/// (x, y), (y, w y) with a diagonal w.
inline constexpr Recipe weighted_product_sums = of([](auto& c) {
  const auto x = c.vector(&memory), y = c.vector(&memory), w = c.vector(&memory), wy = c.scratch();
  c.multiply(wy, w, y);
  c.sum(0, x, y);
  c.sum(1, y, wy);
});
/// (p, s), (s, u): sums of a product behind a preconditioner.
inline constexpr Recipe preconditioned_sums = of([](auto& c) {
  const auto p = c.vector(&memory), s = c.vector(&memory), u = c.vector(&memory);
  c.sum(0, p, s);
  c.sum(1, s, u);
});
/// r = b - s
inline constexpr Recipe residual = of([](auto& c) {
  const auto b = c.vector(&memory), r = c.vector(&memory), s = c.vector(&memory);
  c.set(r, b - s);
});
/// z = w r
inline constexpr Recipe times_diagonal = of([](auto& c) {
  const auto r = c.vector(&memory), z = c.vector(&memory), w = c.vector(&memory);
  c.multiply(z, w, r);
});
/// x += alpha p; r -= alpha s; p = r + beta p; (r, r): an iteration of cg.
inline constexpr Recipe cg = of([](auto& c) {
  const auto x = c.vector(&memory), r = c.vector(&memory), p = c.vector(&memory), s = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p);
  c.set(r, r - alpha * s);
  c.set(p, r + alpha * p);
  c.sum(0, r, r);
});
/// The same with p = w r + beta p; (r, w r), (r, r).
inline constexpr Recipe cg_with_diagonal = of([](auto& c) {
  const auto x = c.vector(&memory), r = c.vector(&memory), p = c.vector(&memory), s = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p);
  c.set(r, r - alpha * s);
  const auto w = c.vector(&memory), z = c.scratch();
  c.multiply(z, w, r);
  c.set(p, z + alpha * p);
  c.sum(0, r, z);
  c.sum(1, r, r);
});
/// The same with z -= alpha u; p = z + beta p; (r, z), (r, r).
inline constexpr Recipe cg_preconditioned = of([](auto& c) {
  const auto x = c.vector(&memory), r = c.vector(&memory), p = c.vector(&memory), s = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p);
  c.set(r, r - alpha * s);
  const auto z = c.vector(&memory), u = c.vector(&memory);
  c.set(z, z - alpha * u);
  c.set(p, z + alpha * p);
  c.sum(0, r, z);
  c.sum(1, r, r);
});

}  // namespace recipes

inline constexpr std::array common_recipes = {recipes::product_sums,        recipes::weighted_product_sums,
                                              recipes::preconditioned_sums, recipes::residual,
                                              recipes::times_diagonal,      recipes::cg,
                                              recipes::cg_with_diagonal,    recipes::cg_preconditioned};

/// Whether a combination has a kernel of its own. Pure.
template <class T>
constexpr bool is_common(const CombinationData<T>& data) {
  const Recipe recipe = recipe_of(data);
  for (const Recipe& common : common_recipes)
    if (common == recipe) return true;
  return false;
}

}  // namespace spmv
