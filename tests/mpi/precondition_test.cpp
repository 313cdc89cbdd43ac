// Preconditioners on ranks: that they are what they say, and what they refuse.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/function_preconditioner.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class Preconditioners : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Preconditioners, ValueTypes);

/// In a format that sorts rows by length, so that the basis of vectors is not the natural order.
template <class T>
Solved<T> on_backend(const SmallSystem<T>& system, const TestBackend& backend = product_backends().front()) {
  return Solved<T>(system, backend, pick(modes<T>(), "vector", "mode"), "staged", "pjds");
}

TYPED_TEST(Preconditioners, BlocksOfOneRowAreTheDiagonal) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, true);
  auto solved = on_backend(system);
  auto request = solved.request();
  request.block_size = 1;
  const auto blocks = solved.make("block_jacobi", request);
  const SolveResult by_blocks = solved.solve("cg", *blocks, {.tolerance = 1e-3});
  const SolveResult by_diagonal = solved.solve("cg", "jacobi", {.tolerance = 1e-3});
  ASSERT_EQ(by_blocks.history.size(), by_diagonal.history.size());
  for (std::size_t i = 0; i < by_blocks.history.size(); ++i)
    EXPECT_NEAR(by_blocks.history[i], by_diagonal.history[i], 1e-3 * by_diagonal.history[i]);
}

/// Dense blocks that no rank shares with another, each with pivots that are not on its diagonal.
TYPED_TEST(Preconditioners, BlocksOfAllRowsSolveAtOnce) {
  using T = TypeParam;
  SmallSystem<T> system{"blocks", 6 * world().size(), {}};
  for (gidx i = 0; i < system.rows; ++i)
    for (gidx j = i / 6 * 6; j < i / 6 * 6 + 6; ++j) {
      T value = x_value<T>(6 * (i % 6) + j % 6, 1);
      if ((i + j) % 6 == 5) value += T(3);
      if (i == j) value = T(0);
      system.entries.push_back({i, j, value});
    }
  auto solved = on_backend(system);
  auto request = solved.request();
  request.block_size = 6;
  const auto blocks = solved.make("block_jacobi", request);
  const SolveResult result = solved.solve("bicgstab", *blocks, {.tolerance = 1e-3});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(result.iterations, 1);
  EXPECT_LE(solved.true_residual(), 1.3e-3);
}

/// Only elimination shows that a block is singular; the last rank has it.
TYPED_TEST(Preconditioners, BlocksWithoutInversesAreNamed) {
  using T = TypeParam;
  constexpr gidx size = 3;
  const gidx blocks = 2 * world().size(), first = size * (blocks - 1);
  const auto not_a_number = std::numeric_limits<RealOf<T>>::quiet_NaN();
  const T singular[][size * size] = {
      {T(1), T(2), T(3), T(2), T(4), T(6), T(1), T(0), T(1)},   // the second pivot
      {T(9), T(2), T(3), T(5), T(2), T(6), T(14), T(4), T(9)},  // the third, within rounding
      {T(0), T(0), T(0), T(0), T(0), T(0), T(0), T(0), T(0)},
      {T(1), T(0), T(0), T(0), T(1), T(not_a_number), T(0), T(0), T(1)},
      {T(1), T(0), T(0), T(0), T(not_a_number), T(0), T(0), T(0), T(1)}};
  for (const auto& block : singular) {
    SmallSystem<T> system{"singular", size * blocks, {}};
    for (gidx i = 0; i < first; ++i) system.entries.push_back({i, i, T(2)});
    for (gidx k = 0; k < size * size; ++k)
      system.entries.push_back({first + k / size, first + k % size, block[k]});
    auto solved = on_backend(system);
    auto request = solved.request();
    request.block_size = size;
    expect_refused([&] { solved.make("block_jacobi", request); },
                   {"3 x 3", fmt::format("row {} ", first + 1)});
  }
}

TEST_F(BackendsTest, PreconditionersNameTheRow) {
  SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  for (auto& e : system.entries)
    if (e.row == 17 && e.col == 17) e.value = 0;
  for (const TestBackend& backend : product_backends()) {
    auto solved = on_backend(system, backend);
    auto request = solved.request();
    request.block_size = 1;
    expect_refused([&] { solved.make("block_jacobi", request); }, {"row 18"});
    expect_refused([&] { solved.make("jacobi", request); }, {"row 18"});
  }
  const double least = std::numeric_limits<double>::denorm_min();
  for (const double value : {least, -least, std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (auto& e : system.entries)
      if (e.row == 17 && e.col == 17) e.value = value;
    auto solved = on_backend(system);
    const char* const why = std::isfinite(value) ? "too little beside the largest element" : "row 18";
    expect_refused([&] { solved.make("jacobi", solved.request()); },
                   {"row 18", fmt::format("{}", value), why});
  }
}

/// The diagonal's elements are negative or, where values are complex, not real at all.
TYPED_TEST(Preconditioners, AnyDiagonalThatHasInversesIsForBicgstab) {
  using T = TypeParam;
  SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, false);
  for (auto& e : system.entries) {
    e.value *= T(-4);
    if constexpr (is_complex<T>) {
      if (e.row == e.col) e.value *= T(1, e.row % 3);
    }
  }
  auto solved = on_backend(system);
  const auto jacobi = solved.make("jacobi", solved.request());
  const SolveResult result = solved.solve("bicgstab", *jacobi, {.tolerance = 1e-3});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(solved.true_residual(), 1.3e-3);
  solved.apply(*jacobi);
  const auto z = solved.x(), b = system.right_hand_side();
  for (const auto& e : system.entries)
    if (e.row == e.col) {
      EXPECT_NEAR(std::abs(z[e.row] * e.value / b[e.row] - T(1)), 0, 1e-5) << "row " << e.row;
    }
  for (const SolverRow<T>& solver : solvers<T>())
    if (solver.hermitian)
      expect_refused([&] { solved.solve(solver.name, *jacobi, {.check = false}); },
                     {"row 1", solver.name, "bicgstab"});
}

TYPED_TEST(Preconditioners, PolynomialsSaveIterations) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 17, 15, 1, false);
  auto solved = on_backend(system);
  const int plain = solved.solve("cg", "none", {.tolerance = 1e-4}).iterations;
  auto request = solved.request();
  int before = plain;
  for (const int degree : {1, 3}) {
    request.degree = degree;
    const int with = solved.solve("cg", *solved.make("chebyshev", request), {.tolerance = 1e-4}).iterations;
    EXPECT_LE(with, before * 2 / 3) << "degree " << degree;
    before = with;
  }
}

/// On a diagonal matrix the polynomial is known: 1 - d M^-1 = T((theta - d) / delta) / T(theta / delta) [Saad 2003, sect. 12.3].
TYPED_TEST(Preconditioners, PolynomialsAreChebyshevs) {
  using T = TypeParam;
  constexpr gidx rows = 31;
  constexpr double largest = 15, theta = 7.75, delta = 7.25;
  SmallSystem<T> system{"diagonal", rows, {}};
  for (gidx i = 0; i < rows; ++i)
    system.entries.push_back({i, i, T(static_cast<RealOf<T>>(0.4 + 14.5 * static_cast<double>(i) / 30))});
  auto solved = on_backend(system);
  solved.set_b(std::vector<T>(rows, T(1)));
  for (const int degree : {0, 1, 4}) {
    auto request = solved.request();
    request.degree = degree;
    request.largest = largest;
    solved.apply(*solved.make("chebyshev", request));
    const auto chebyshev = [=](double at) {
      return at <= 1 ? std::cos((degree + 1) * std::acos(at)) : std::cosh((degree + 1) * std::acosh(at));
    };
    const std::vector<T> z = solved.x();
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double d = std::real(system.entries[i].value);
      EXPECT_NEAR(1 - d * std::real(z[i]), chebyshev((theta - d) / delta) / chebyshev(theta / delta), 1e-4);
    }
  }
}

TEST_F(BackendsTest, PolynomialsWidenBoundsThatAreTooSmall) {
  const SmallSystem<double> system = grid<double>("grid", 9, 8, 1, false);
  auto solved = on_backend(system);
  auto request = solved.request();
  const std::string estimated = solved.make("chebyshev", request)->choices();
  EXPECT_NE(estimated.find(", 8], estimated"), std::string::npos) << estimated;
  request.largest = 4;
  const auto widened = solved.make("chebyshev", request);
  EXPECT_NE(widened->choices().find(", 8], widened from 4"), std::string::npos) << widened->choices();
  EXPECT_EQ(solved.solve("cg", *widened, {}).stop, Stop::converged);
  request.largest = 9;
  EXPECT_NE(solved.make("chebyshev", request)->choices().find("as given"), std::string::npos);
}

TEST_F(BackendsTest, PolynomialsRefuseMatricesThatAreNotPositive) {
  const SmallSystem<double> indefinite = grid<double>("indefinite", 9, 8, 1, false, -4);
  auto solved = on_backend(indefinite);
  expect_refused([&] { solved.make("chebyshev", solved.request()); }, {"diverges"});
  SmallSystem<double> negative = grid<double>("negative", 3, 2, 1, false);
  for (auto& e : negative.entries) e.value = -e.value;
  auto solved_negative = on_backend(negative);
  expect_refused([&] { solved_negative.make("chebyshev", solved_negative.request()); },
                 {"largest eigenvalue"});
}

/// A function that does what a preconditioner of the table does.
TYPED_TEST(Preconditioners, FunctionsOfTheCallerAreCalled) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 9, 7, 0.3, true);
  auto solved = on_backend(system);
  const auto diagonal = solved.make("jacobi", solved.request());
  int calls = 0;
  FunctionPreconditioner<T> function([&](const VectorRef<T>& r, const VectorRef<T>& z) {
    ++calls;
    diagonal->apply(r, z);
  });
  for (const SolverRow<T>& solver : solvers<T>()) {
    calls = 0;
    const SolveResult own = solved.solve(solver.name, function, {.tolerance = 1e-3});
    const SolveResult of_table = solved.solve(solver.name, *diagonal, {.tolerance = 1e-3});
    EXPECT_EQ(own.stop, Stop::converged) << solver.name;
    EXPECT_GE(calls, own.iterations);
    EXPECT_NEAR(own.iterations, of_table.iterations, 1) << solver.name;
  }
}

}  // namespace
}  // namespace spmv::test
