// The combinations of the solvers, written as the solvers write them. Each has a kernel of its own; any other goes through a
// kernel that decides at run time, and is several times slower. Workspace::uncommon_combinations() counts those.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

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
  return recipe_of(renumbered(c.data()));
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

/// r -= alpha s; (r, r): the first half of an iteration of cg_classical.
inline constexpr Recipe classical_residual = of([](auto& c) {
  const auto r = c.vector(&memory), s = c.vector(&memory);
  c.set(r, r - c.formula.constant(1) * s);
  c.sum(0, r, r);
});
/// x += alpha p; p = r + beta p: the second half.
inline constexpr Recipe classical_direction = of([](auto& c) {
  const auto x = c.vector(&memory), p = c.vector(&memory), r = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p);
  c.set(p, alpha * r + alpha * p);
});
/// The same halves with a diagonal w: z = w r; (r, r), (r, z) ...
inline constexpr Recipe classical_residual_with_diagonal = of([](auto& c) {
  const auto r = c.vector(&memory), s = c.vector(&memory);
  c.set(r, r - c.formula.constant(1) * s);
  c.sum(0, r, r);
  const auto w = c.vector(&memory), z = c.scratch();
  c.multiply(z, w, r);
  c.sum(1, r, z);
});
/// ... and p = z + beta p.
inline constexpr Recipe classical_direction_with_diagonal = of([](auto& c) {
  const auto x = c.vector(&memory), p = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p);
  const auto r = c.vector(&memory), w = c.vector(&memory), z = c.scratch();
  c.multiply(z, w, r);
  c.set(p, alpha * z + alpha * p);
});
/// z = n + beta z; s = w + beta s; p = r + beta p; w -= alpha z; r -= alpha s; (r, r), (w, r): an iteration of cg_pipelined ...
inline constexpr Recipe pipelined = of([](auto& c) {
  const auto z = c.vector(&memory), n = c.vector(&memory), s = c.vector(&memory);
  const auto w = c.vector(&memory), r = c.vector(&memory), p = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(z, alpha * n + alpha * z);
  c.set(s, alpha * w + alpha * s);
  c.set(p, alpha * r + alpha * p);
  c.set(w, w - alpha * z);
  c.set(r, r - alpha * s);
  c.sum(0, r, r);
  c.sum(1, w, r);
});
/// ... and x += alpha p.
inline constexpr Recipe step = of([](auto& c) {
  const auto x = c.vector(&memory), p = c.vector(&memory);
  c.set(x, x + c.formula.constant(1) * p);
});
/// With a preconditioner: z, s, w and r as above ...
inline constexpr Recipe pipelined_residual = of([](auto& c) {
  const auto z = c.vector(&memory), n = c.vector(&memory), s = c.vector(&memory);
  const auto w = c.vector(&memory), r = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(z, alpha * n + alpha * z);
  c.set(s, alpha * w + alpha * s);
  c.set(w, w - alpha * z);
  c.set(r, r - alpha * s);
});
/// ... and p = u + beta p; q = m + beta q; u -= alpha q; (r, u), (w, u), (r, r).
inline constexpr Recipe pipelined_preconditioned = of([](auto& c) {
  const auto p = c.vector(&memory), q = c.vector(&memory), u = c.vector(&memory);
  const auto m = c.vector(&memory), r = c.vector(&memory), w = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(p, alpha * u + alpha * p);
  c.set(q, alpha * m + alpha * q);
  c.set(u, u - alpha * q);
  c.sum(0, r, u);
  c.sum(1, w, u);
  c.sum(2, r, r);
});
/// (r0, v) of bicgstab, ...
inline constexpr Recipe shadow_sum = of([](auto& c) {
  const auto r0 = c.vector(&memory), v = c.vector(&memory);
  c.sum(0, r0, v);
});
/// ... s = r - alpha v, ...
inline constexpr Recipe half_step = of([](auto& c) {
  const auto r = c.vector(&memory), v = c.vector(&memory), s = c.vector(&memory);
  c.set(s, r - c.formula.constant(1) * v);
});
/// ... (t, s), (t, t), (r0, s), (r0, t) ...
inline constexpr Recipe stabilizing_sums = of([](auto& c) {
  const auto r0 = c.vector(&memory), s = c.vector(&memory), t = c.vector(&memory);
  c.sum(0, t, s);
  c.sum(1, t, t);
  c.sum(2, r0, s);
  c.sum(3, r0, t);
});
/// ... and x += alpha p + omega s; r = s - omega t; p = r + beta p - beta omega v; (r, r).
inline constexpr Recipe bicgstab = of([](auto& c) {
  const auto s = c.vector(&memory), p = c.vector(&memory), x = c.vector(&memory);
  const auto r = c.vector(&memory), t = c.vector(&memory), v = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * p + alpha * s);
  c.set(r, s - alpha * t);
  c.set(p, alpha * r + alpha * p - alpha * v);
  c.sum(0, r, r);
});
/// With a preconditioner: x += alpha mp + omega ms, ...
inline constexpr Recipe bicgstab_solution = of([](auto& c) {
  const auto x = c.vector(&memory), mp = c.vector(&memory), ms = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(x, x + alpha * mp + alpha * ms);
});
/// ... and r, p and (r, r) as above.
inline constexpr Recipe bicgstab_residual = of([](auto& c) {
  const auto s = c.vector(&memory), p = c.vector(&memory);
  const auto r = c.vector(&memory), t = c.vector(&memory), v = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(r, s - alpha * t);
  c.set(p, alpha * r + alpha * p - alpha * v);
  c.sum(0, r, r);
});
/// z = a r - b s: the first step of preconditioner chebyshev, ...
inline constexpr Recipe chebyshev_first_step = of([](auto& c) {
  const auto r = c.vector(&memory), s = c.vector(&memory), z = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(z, alpha * r - alpha * s);
});
/// ... the second: y = a z + b r - c s; and the others: y = a z + b r - c s - d y.
template <bool second>
inline constexpr Recipe chebyshev_step = of([](auto& c) {
  const auto r = c.vector(&memory), s = c.vector(&memory), z = c.vector(&memory), y = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  const LinearForm step = alpha * z - alpha * s + alpha * r;
  c.set(y, second ? step : step - alpha * y);
});
/// b = 2 (A - c) / h a - b: a step of Chebyshev's recursion, whose product is w, ...
inline constexpr Recipe chebyshev = of([](auto& c) {
  const auto w = c.vector(&memory), a = c.vector(&memory), b = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(b, alpha * w + alpha * a + alpha * b);
});
/// ... with (a, b), (b, b) for the moments of a spectrum, ...
inline constexpr Recipe chebyshev_moments = of([](auto& c) {
  const auto w = c.vector(&memory), a = c.vector(&memory), b = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(b, alpha * w + alpha * a + alpha * b);
  c.sum(0, a, b);
  c.sum(1, b, b);
});
/// ... and with two terms of a function of the matrix: y += alpha a + beta b; (b, b).
inline constexpr Recipe chebyshev_terms = of([](auto& c) {
  const auto w = c.vector(&memory), a = c.vector(&memory), b = c.vector(&memory), y = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(b, alpha * w + alpha * a + alpha * b);
  c.set(y, y + alpha * a + alpha * b);
  c.sum(0, b, b);
});

/// v = a u;  w = a w - alpha v - beta p;  (v, w), (p, w), (q, w), (r, w): a step of Lanczos with the vectors before it, ...
inline constexpr Recipe lanczos_step = of([](auto& c) {
  const auto v = c.vector(&memory), u = c.vector(&memory), w = c.vector(&memory);
  const auto p = c.vector(&memory), q = c.vector(&memory), r = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(v, alpha * u);
  c.set(w, alpha * w - alpha * v - alpha * p);
  c.sum(0, v, w);
  c.sum(1, p, w);
  c.sum(2, q, w);
  c.sum(3, r, w);
});
/// ... and without more than (w, w), ...
inline constexpr Recipe plain_lanczos_step = of([](auto& c) {
  const auto v = c.vector(&memory), u = c.vector(&memory), w = c.vector(&memory), p = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(v, alpha * u);
  c.set(w, alpha * w - alpha * v - alpha * p);
  c.sum(0, w, w);
});
/// ... (p, u), (q, u), (r, u), (s, u), ...
inline constexpr Recipe overlaps = of([](auto& c) {
  const auto p = c.vector(&memory), q = c.vector(&memory), r = c.vector(&memory), s = c.vector(&memory);
  const auto u = c.vector(&memory);
  c.sum(0, p, u);
  c.sum(1, q, u);
  c.sum(2, r, u);
  c.sum(3, s, u);
});
/// ... u -= a p + b q + c r + d s;  (u, u): what orthogonalises, ...
inline constexpr Recipe orthogonal_rest = of([](auto& c) {
  const auto u = c.vector(&memory);
  const auto p = c.vector(&memory), q = c.vector(&memory), r = c.vector(&memory), s = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  c.set(u, u - alpha * p - alpha * q - alpha * r - alpha * s);
  c.sum(0, u, u);
});
/// ... and two combinations x and y of a basis, four of its vectors at a time.
template <bool first>
inline constexpr Recipe two_of_a_basis = of([](auto& c) {
  const auto x = c.vector(&memory), y = c.vector(&memory);
  const auto p = c.vector(&memory), q = c.vector(&memory), r = c.vector(&memory), s = c.vector(&memory);
  const auto alpha = c.formula.constant(1);
  const LinearForm sum = alpha * p + alpha * q + alpha * r + alpha * s;
  c.set(x, first ? sum : x + sum);
  c.set(y, first ? sum : y + sum);
});

}  // namespace recipes

inline constexpr std::array common_recipes = {recipes::product_sums,
                                              recipes::weighted_product_sums,
                                              recipes::preconditioned_sums,
                                              recipes::residual,
                                              recipes::times_diagonal,
                                              recipes::cg,
                                              recipes::cg_with_diagonal,
                                              recipes::cg_preconditioned,
                                              recipes::classical_residual,
                                              recipes::classical_direction,
                                              recipes::classical_residual_with_diagonal,
                                              recipes::classical_direction_with_diagonal,
                                              recipes::pipelined,
                                              recipes::step,
                                              recipes::pipelined_residual,
                                              recipes::pipelined_preconditioned,
                                              recipes::shadow_sum,
                                              recipes::half_step,
                                              recipes::stabilizing_sums,
                                              recipes::bicgstab,
                                              recipes::bicgstab_solution,
                                              recipes::bicgstab_residual,
                                              recipes::chebyshev_first_step,
                                              recipes::chebyshev_step<true>,
                                              recipes::chebyshev_step<false>,
                                              recipes::chebyshev,
                                              recipes::chebyshev_moments,
                                              recipes::chebyshev_terms,
                                              recipes::lanczos_step,
                                              recipes::plain_lanczos_step,
                                              recipes::overlaps,
                                              recipes::orthogonal_rest,
                                              recipes::two_of_a_basis<true>,
                                              recipes::two_of_a_basis<false>};

/// Whether a combination has a kernel of its own. Pure.
template <class T>
bool is_common(const CombinationData<T>& data) {
  const Recipe recipe = recipe_of(renumbered(data));
  return std::any_of(std::begin(common_recipes), std::end(common_recipes),
                     [&](const Recipe& common) { return common == recipe; });
}

}  // namespace spmv
