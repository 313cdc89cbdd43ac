// BiCGSTAB(2) where the eigenvalues are near the imaginary axis, and against its recurrence in long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/function_preconditioner.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class ComplexSpectra : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexSpectra, ValueTypes);

/// A multiple of the identity and a skew-hermitian matrix, in which elements below the diagonal are minus the adjoint of those above
/// it: every eigenvalue has the real part `real`. Row and column i times 1 + i % 3 if `scaled`.
template <class T>
SmallSystem<T> nearly_skew(const std::string& name, gidx nx, gidx ny, double real, bool scaled) {
  SmallSystem<T> system = grid<T>(name, nx, ny, 1, scaled, real - 4);
  for (Entry<T>& e : system.entries)
    if (e.col < e.row) e.value = -e.value;
  return system;
}

/// Wide vectors with coefficients: a + factor b.
template <class T>
std::vector<Wide<T>> plus(std::vector<Wide<T>> a, Wide<T> factor, const std::vector<Wide<T>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

/// Relative residual norms of the method as Sleijpen and Fokkema have it, but for the minimum over s and t, which is that of the
/// normal equations.
template <class T>
std::vector<double> wide_history_of_2(const SmallSystem<T>& system, std::size_t most) {
  using W = Wide<T>;
  std::vector<W> b;
  for (const T& value : system.right_hand_side()) b.push_back(W(value));
  std::vector<W> r = b, u(b.size(), W(0));
  W rho = 1, alpha = 0, omega = 1;
  std::vector<double> history{1};
  while (history.size() < most) {
    rho *= -omega;
    W now = wide_dot<T>(b, r), beta = alpha * now / rho;
    rho = now;
    u = plus<T>(r, -beta, u);
    auto v = system.product(u);
    alpha = rho / wide_dot<T>(b, v);
    r = plus<T>(r, -alpha, v);
    auto s = system.product(r);
    now = wide_dot<T>(b, s);
    beta = alpha * now / rho;
    rho = now;
    v = plus<T>(s, -beta, v);
    u = plus<T>(r, -beta, u);
    const auto w = system.product(v);
    alpha = rho / wide_dot<T>(b, w);
    r = plus<T>(r, -alpha, v);
    s = plus<T>(s, -alpha, w);
    const auto t = system.product(s);
    const W ss = wide_dot<T>(s, s), st = wide_dot<T>(s, t), ts = wide_dot<T>(t, s), tt = wide_dot<T>(t, t);
    const W sr = wide_dot<T>(s, r), tr = wide_dot<T>(t, r), determinant = ss * tt - st * ts;
    const W of_s = (sr * tt - st * tr) / determinant;
    omega = (ss * tr - ts * sr) / determinant;
    r = plus<T>(plus<T>(r, -of_s, s), -omega, t);
    u = plus<T>(plus<T>(u, -of_s, v), -omega, w);
    history.push_back(wide_ratio<T>(r, b));
  }
  return history;
}

template <class T>
double largest_error(const std::vector<T>& x) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(x[i] - x_value<T>(static_cast<gidx>(i), 0))));
  return largest;
}

/// In real arithmetic BiCGSTAB reduces nothing there: it gets nowhere in twice the products. The x that b is made of is found.
TYPED_TEST(ComplexSpectra, AreNoObstacleForBiCgStab2) {
  using T = TypeParam;
  const double tolerance = 10 * reachable<T>();
  for (const SmallSystem<T>& system :
       {nearly_skew<T>("grid", 12, 10, 0.5, false), nearly_skew<T>("line", 120, 1, 0.1, false)})
    for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
      SCOPED_TRACE(system.name + " " + backend.name);
      Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
      const SolveResult result = solved.solve("bicgstab_2", "none", {.tolerance = tolerance});
      EXPECT_EQ(result.stop, Stop::converged) << result.reason;
      EXPECT_LE(solved.true_residual(), 1.3 * tolerance);
      EXPECT_LE(largest_error(solved.x()), 100 * tolerance);
      if (is_complex<T>) continue;
      const int most = 4 * result.iterations;
      const SolveResult other =
          solved.solve("bicgstab", "none", {.tolerance = tolerance, .max_iterations = most});
      EXPECT_GT(other.residual, 100 * tolerance);
    }
}

TYPED_TEST(ComplexSpectra, HistoriesAreThoseOfTheRecurrence) {
  using T = TypeParam;
  const double precise = sizeof(RealOf<T>) == sizeof(float) ? 1e-3 : 1e-9;
  const SmallSystem<T> system = nearly_skew<T>("grid", 12, 10, 1, true);
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "naive", "mode"), "staged");
  const SolveResult result = solved.solve("bicgstab_2", "none", {.tolerance = 1e-6, .max_iterations = 6});
  const auto wide = wide_history_of_2(system, result.history.size());
  ASSERT_EQ(wide.size(), 7U);
  for (std::size_t i = 0; i < wide.size(); ++i)
    EXPECT_NEAR(result.history[i], wide[i], precise * wide[i]) << "iteration " << i;
}

/// The residual of the recursion is that of x.
TYPED_TEST(ComplexSpectra, ResidualsAreTrueWithPreconditioners) {
  using T = TypeParam;
  const double tolerance = 10 * reachable<T>();
  const auto check = [&](const SmallSystem<T>& system, const char* m) {
    SCOPED_TRACE(system.name + " " + m);
    Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
    const SolveResult result = solved.solve("bicgstab_2", m, {.tolerance = tolerance});
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_EQ(result.restarts, 0);
    EXPECT_NEAR(result.history.back(), solved.true_residual(), 0.1 * tolerance);
    return result.iterations;
  };
  const SmallSystem<T> skew = nearly_skew<T>("scaled", 12, 10, 1, true);
  const SmallSystem<T> wind = convection<T>("convection", 12, 10, 2);
  EXPECT_LT(check(skew, "jacobi"), check(skew, "none"));
  check(skew, "block_jacobi");
  check(wind, "block_jacobi");
  EXPECT_LT(check(wind, "chebyshev"), check(wind, "none"));
}

/// Wherever in an iteration a value that is not finite comes up, x stays as it was after the last one that was good.
TYPED_TEST(ComplexSpectra, LastIterateIsKeptWhereValuesFail) {
  using T = TypeParam;
  const SmallSystem<T> system = nearly_skew<T>("grid", 7, 6, 0.5, true);
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
    Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
    for (const auto& [solver, products] : {std::pair{"bicgstab_2", 4}, {"bicgstab", 2}}) {
      const auto run = [&, name = solver](int fails_at, int most) {
        int calls = 0;
        FunctionPreconditioner<T> m([&](const VectorRef<T>& r, const VectorRef<T>& z) {
          const double factor = calls++ == fails_at ? std::numeric_limits<double>::infinity() : 1;
          solved.on().run(Combination<T>().set(z, factor * r));
        });
        return solved.solve(name, m, {.tolerance = 1e-4, .max_iterations = most});
      };
      run(-1, 2);
      const std::vector<T> second = solved.x();
      for (int k = 0; k < products; ++k) {
        SCOPED_TRACE(std::string(backend.name) + ", " + solver + ", product " + std::to_string(k));
        const SolveResult result = run(2 * products + k, 100);
        EXPECT_EQ(result.stop, Stop::not_finite) << result.reason;
        EXPECT_EQ(solved.x(), second);
      }
    }
  }
}

}  // namespace
}  // namespace spmv::test
