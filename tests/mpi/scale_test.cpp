// Scaling A and b by powers of two changes nothing but the scale of what comes out, over the whole range of the type: histories
// are the same bit by bit, unless a square of some number is computed where it is not finite, or 0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/magnitudes.hpp"
#include "dist/spectrum/eigen.hpp"
#include "dist/spectrum/evolve.hpp"
#include "dist/spectrum/kpm.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class Scaled : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Scaled, ValueTypes);

template <class T>
SmallSystem<T> times(SmallSystem<T> system, int exponent) {
  for (Entry<T>& e : system.entries) e.value = times_power_of_two(e.value, exponent);
  return system;
}
template <class T>
std::vector<T> times(std::vector<T> vector, int exponent) {
  for (T& value : vector) value = times_power_of_two(value, exponent);
  return vector;
}

/// Exponents of A and of b whose quotient is in the range of T.
struct Exponents {
  int of_a, of_b;
};
template <class T>
std::vector<Exponents> exponents() {
  if (sizeof(RealOf<T>) == sizeof(float))
    return {{-100, -100}, {100, 100}, {-110, -20}, {110, 20}, {0, -90}, {0, 90}, {60, 0}, {-60, 0}};
  return {{-500, -500}, {500, 500}, {-990, -500}, {990, 500},   {0, -545},
          {0, 560},     {400, 0},   {-367, 0},    {-1000, -950}};
}

template <class T>
void check_solver(const SmallSystem<T>& system, const SolverRow<T>& solver, const char* m,
                  const Exponents& by, const char* format) {
  SCOPED_TRACE(std::string(solver.name) + " " + m + " " + format + " A 2^" + std::to_string(by.of_a) +
               " b 2^" + std::to_string(by.of_b));
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  const SolveOptions options{.tolerance = 10 * reachable<T>()};
  Solved<T> plain(system, product_backends().front(), mode, "staged", format);
  const SolveResult expected = plain.solve(solver.name, m, options);
  ASSERT_EQ(expected.stop, Stop::converged) << expected.reason;
  const SmallSystem<T> other = times(system, by.of_a);
  Solved<T> scaled(other, product_backends().front(), mode, "staged", format);
  scaled.set_b(times(system.right_hand_side(), by.of_b));
  const SolveResult result = scaled.solve(solver.name, m, options);
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_EQ(result.norm_b, std::ldexp(expected.norm_b, by.of_b));
  // minres takes the root of (z, M^-1 z), which rounds in another way where the scale is an odd power of two.
  const bool rounds_alike = std::string(solver.name) != "minres" || std::string(m) == "none";
  if (std::string(product_backends().front().name) == "host" && rounds_alike) {
    EXPECT_EQ(result.history, expected.history);
    EXPECT_EQ(result.residual, expected.residual);
    EXPECT_EQ(scaled.x(), times(plain.x(), by.of_b - by.of_a));
    return;
  }
  // On GPUs, a product that is scaled by a kernel after it is rounded in another order, and differences grow.
  EXPECT_LE(std::abs(result.iterations - expected.iterations), 1);
  for (std::size_t i = 0; i < std::min(result.history.size(), expected.history.size()); ++i)
    if (expected.history[i] > 1e3 * options.tolerance) {
      EXPECT_NEAR(result.history[i], expected.history[i], 0.05 * expected.history[i]) << "iteration " << i;
    }
  EXPECT_LE(result.residual, 1.05 * options.tolerance);
}

TYPED_TEST(Scaled, SolversDoTheSame) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, true);
  const auto& ms = preconditioners<T>();
  std::size_t turn = 0;
  for (const Exponents& by : exponents<T>())
    for (const SolverRow<T>& solver : solvers<T>()) {
      const char* const m = ms[turn % ms.size()].name;
      ++turn;
      check_solver(system, solver, m, by, turn % 3 == 0 ? "csr" : "sell");
    }
}

/// A difference between a_ij and a_ji is found at any scale, and beside rows that are much larger.
TYPED_TEST(Scaled, MatricesThatAreNotHermitianAreFound) {
  using T = TypeParam;
  const bool is_float = sizeof(RealOf<T>) == sizeof(float);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  for (const int exponent :
       is_float ? std::vector<int>{-110, 0, 110} : std::vector<int>{-900, -540, 0, 535, 1000})
    for (const double penalty : {1.0, is_float ? 1e10 : 1e20})
      for (const double off : {0.0, is_float ? 1e-2 : 1e-8, 0.5}) {
        SCOPED_TRACE("2^" + std::to_string(exponent) + ", penalty " + std::to_string(penalty) + ", off by " +
                     std::to_string(off));
        SmallSystem<T> system = grid<T>("grid", 12, 11, 1, false);
        for (Entry<T>& e : system.entries) {
          if (e.row == e.col && (e.row == 3 || e.row == 130)) e.value *= static_cast<RealOf<T>>(penalty);
          if (e.row == 20 && e.col == 21) e.value *= static_cast<RealOf<T>>(1 + off);
        }
        const SmallSystem<T> scaled = times(system, exponent - (penalty == 1 ? 0 : is_float ? 30 : 60));
        Solved<T> solved(scaled, product_backends().front(), mode, "staged");
        const auto solve = [&] { solved.solve("cg", "none", {.tolerance = 1e-2}); };
        if (off == 0)
          EXPECT_NO_THROW(solve());
        else
          expect_refused(solve, {"(u, A v)"});
      }
}

/// As large as the type allows, beside rows of a usual size: an element without a counterpart that is small, and one that is
/// huge.
TYPED_TEST(Scaled, DifferencesAreFoundBesideTheLargestElements) {
  using T = TypeParam;
  const bool is_float = sizeof(RealOf<T>) == sizeof(float);
  const auto huge = static_cast<RealOf<T>>(is_float ? 1e37 : 1e300);
  const auto refused = [](const SmallSystem<T>& system, const char* why) {
    Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    expect_refused([&] { solved.solve("cg", "none", {.tolerance = 1e-2}); }, {"the matrix is not", why});
  };
  SmallSystem<T> system = grid<T>("grid", 12, 11, 1, false);
  for (Entry<T>& e : system.entries)
    if (e.row == e.col && (e.row == 3 || e.row == 130)) e.value = huge;
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  EXPECT_NO_THROW(solved.solve("cg", "none", {.tolerance = 1e-2}));
  SmallSystem<T> small = system;
  small.entries.push_back({20, 70, static_cast<T>(is_float ? 1e-2 : 1e-8)});
  refused(small, "(u, A v)");
  system.entries.push_back({20, 70, huge});
  refused(system, "counterpart");
}

TYPED_TEST(Scaled, SearchesForEigenvaluesDoTheSame) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, true);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  Solved<T> plain(system, product_backends().front(), mode, "staged");
  const EigenOptions options{.count = 3, .tolerance = reachable<T>()};
  const EigenResult<T> expected = eigen(plain.on(), plain.A(), options);
  ASSERT_EQ(expected.stop, Stop::converged) << expected.reason;
  // Products with a matrix in single precision that is so small are numbers with fewer digits.
  const double loses = sizeof(RealOf<T>) == sizeof(float) ? 1e-6 : 0;
  for (const Exponents& by : exponents<T>()) {
    SCOPED_TRACE("2^" + std::to_string(by.of_a));
    const SmallSystem<T> other = times(system, by.of_a);
    Solved<T> scaled(other, product_backends().front(), mode, "staged");
    const EigenResult<T> result = eigen(scaled.on(), scaled.A(), options);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_NEAR(result.norm / std::ldexp(expected.norm, by.of_a), 1, loses);
    ASSERT_EQ(result.values.size(), expected.values.size());
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      EXPECT_NEAR(result.values[i] / std::ldexp(expected.values[i], by.of_a), 1, loses);
      EXPECT_NEAR(result.residuals[i] / std::ldexp(expected.residuals[i], by.of_a), 1, 100 * loses);
    }
    ASSERT_EQ(result.history.size(), expected.history.size());
    for (std::size_t i = 0; i < result.history.size(); ++i)
      EXPECT_NEAR(result.history[i] / expected.history[i], 1, 100 * loses);
  }
}

TYPED_TEST(Scaled, MomentsAndEvolutionsDoTheSame) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, true);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  const std::vector<T> start = system.right_hand_side();
  Solved<T> plain(system, product_backends().front(), mode, "staged");
  const Moments expected = moments_of(plain.on(), plain.A(), plain.b(), {.moments = 16});
  const EvolveOptions options{.time = Time::imaginary, .tolerance = reachable<T>()};
  const EvolveResult evolved = evolve(plain.on(), plain.A(), plain.b(), 0.75, options);
  const std::vector<T> end = plain.whole_b();
  for (const Exponents& by : exponents<T>()) {
    SCOPED_TRACE("A 2^" + std::to_string(by.of_a) + ", x 2^" + std::to_string(by.of_b));
    const SmallSystem<T> other = times(system, by.of_a);
    Solved<T> scaled(other, product_backends().front(), mode, "staged");
    scaled.set_b(times(start, by.of_b));
    const Moments moments = moments_of(scaled.on(), scaled.A(), scaled.b(), {.moments = 16});
    EXPECT_EQ(moments.of_vector, expected.of_vector);
    EXPECT_EQ(moments.norm, std::ldexp(expected.norm, by.of_b));
    EXPECT_EQ(moments.range.bounds.low, std::ldexp(expected.range.bounds.low, by.of_a));
    EXPECT_EQ(moments.range.bounds.high, std::ldexp(expected.range.bounds.high, by.of_a));
    const EvolveResult result =
        evolve(scaled.on(), scaled.A(), scaled.b(), std::ldexp(0.75, -by.of_a), options);
    EXPECT_EQ(result.terms, evolved.terms);
    EXPECT_EQ(result.range.bounds.low, std::ldexp(evolved.range.bounds.low, by.of_a));
    const std::vector<T> found = times(scaled.whole_b(), -by.of_b);
    for (std::size_t i = 0; i < end.size(); ++i)
      ASSERT_LE(std::abs(found[i] - end[i]),
                8 * std::numeric_limits<RealOf<T>>::epsilon() * evolved.norm_after);
  }
}

/// An x that is too large for the type is refused. One that is too small may be due to one large element: then the reason says
/// so.
TYPED_TEST(Scaled, SolutionsBeyondTheTypeAreNamed) {
  using T = TypeParam;
  const bool is_float = sizeof(RealOf<T>) == sizeof(float);
  const auto solve = [&](int of_a, int of_b) {
    const SmallSystem<T> system = grid<T>("grid", 6, 5, 1, false), scaled = times(system, of_a);
    Solved<T> solved(scaled, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    solved.set_b(times(system.right_hand_side(), of_b));
    return solved.solve("cg", "none", {.tolerance = 1e-2});
  };
  expect_refused([&] { solve(is_float ? -100 : -900, is_float ? 60 : 500); },
                 {"|b| / |A|", is_float ? "beyond single precision" : "beyond double"});
  if (!is_float) return;
  const SolveResult result = solve(100, -66);
  EXPECT_EQ(result.stop, Stop::stagnated);
  EXPECT_NE(result.reason.find("where single precision has few digits or none"), std::string::npos)
      << result.reason;
}

TEST_F(BackendsTest, GuessesThatNoSolverCanUseAreNamed) {
  const SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  Solved<double> solved(system, product_backends().back(), pick(modes<double>(), "vector", "mode"), "staged");
  const auto& ids = solved.request().rows.original_row;
  std::vector<double> guess(30, 1.0);
  for (const SolverRow<double>& solver : solvers<double>()) {
    guess[11] = std::nan("");
    expect_refused([&] { solved.solve_from(guess, solver.name, {.row_ids = &ids}); },
                   {"guess", "row 12 is nan"});
    guess[11] = 1e200;
    expect_refused([&] { solved.solve_from(guess, solver.name, {.row_ids = &ids}); }, {"guess", "too large"});
    guess[11] = 1e20;
    EXPECT_EQ(solved.solve_from(guess, solver.name, {.tolerance = 1e-2}).stop, Stop::converged)
        << solver.name;
    EXPECT_LE(solved.true_residual(), 2e-2);
  }
}

}  // namespace
}  // namespace spmv::test
