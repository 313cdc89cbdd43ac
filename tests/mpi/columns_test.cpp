// Several columns side by side: each is solved, or gives moments, as if it were alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/hypre/levels.hpp"
#include "dist/solve/iterate.hpp"
#include "dist/spectrum/kpm.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class Columns : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Columns, ValueTypes);

/// Right-hand sides: of the system, very small, nothing, a single element, and very large. By columns.
template <class T>
std::vector<std::vector<T>> right_hand_sides(const SmallSystem<T>& system) {
  constexpr int far = sizeof(RealOf<T>) == sizeof(float) ? 70 : 500;
  const auto rows = static_cast<std::size_t>(system.rows);
  std::vector<std::vector<T>> all(5, std::vector<T>(rows, T(0)));
  all[0] = system.right_hand_side();
  for (std::size_t i = 0; i < rows; ++i) {
    all[1][i] = times_power_of_two(x_value<T>(static_cast<gidx>(i), 7), -far);
    all[4][i] = times_power_of_two(x_value<T>(static_cast<gidx>(i), 8), far);
  }
  all[3][rows / 2] = T(1);
  return all;
}

template <class T>
std::vector<T> by_rows(const std::vector<std::vector<T>>& columns) {
  std::vector<T> all;
  for (std::size_t i = 0; i < columns[0].size(); ++i)
    for (const std::vector<T>& column : columns) all.push_back(column[i]);
  return all;
}

template <class T>
double distance(const std::vector<T>& a, const std::vector<T>& b) {
  long double off = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += std::norm(Wide<T>(a[i]) - Wide<T>(b[i]));
    size += std::norm(Wide<T>(b[i]));
  }
  return size > 0 ? static_cast<double>(std::sqrt(off / size)) : static_cast<double>(off);
}

template <class T>
void check_solver(const SmallSystem<T>& system, const TestBackend& backend, const Mode<T>& mode,
                  const std::string& solver, const std::string& m) {
  const double tolerance = 20 * reachable<T>();
  const SolveOptions options{.tolerance = tolerance};
  const auto b = right_hand_sides(system);
  const auto k = static_cast<int>(b.size());
  Solved<T> together(system, backend, mode, "staged", "sell", k), alone(system, backend, mode, "staged");
  together.set_b(by_rows(b));
  const std::vector<SolveResult> results = together.solve_columns(solver, m, options);
  const std::vector<T> x = together.x();
  ASSERT_EQ(results.size(), b.size());
  for (std::size_t j = 0; j < b.size(); ++j) {
    SCOPED_TRACE("column " + std::to_string(j));
    alone.set_b(b[j]);
    const SolveResult expected = alone.solve(solver, m, options);
    const SolveResult& result = results[j];
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_LE(result.residual, 1.05 * tolerance);
    EXPECT_NEAR(result.iterations, expected.iterations, 1 + 0.1 * expected.iterations);
    EXPECT_NEAR(result.norm_b, expected.norm_b, 1e-6 * expected.norm_b);
    if (expected.iterations > 0) {
      ASSERT_GE(result.history.size(), 3U);
      EXPECT_NEAR(result.history[2], expected.history[2], 1e-3 * expected.history[2]);
    }
    std::vector<T> of_column;
    for (std::size_t i = j; i < x.size(); i += b.size()) of_column.push_back(x[i]);
    EXPECT_LE(distance(of_column, alone.x()), 200 * tolerance);
  }
}

TYPED_TEST(Columns, AreSolvedAsIfAlone) {
  using T = TypeParam;
  const SmallSystem<T> definite = grid<T>("grid", 12, 10, 1, true),
                       wind = convection<T>("convection", 12, 10, 2);
  std::size_t turn = 2 * is_complex<T> + (sizeof(RealOf<T>) > sizeof(float));  // value types share the work
  for (const SolverRow<T>& solver : solvers<T>())
    for (const char* m : {"none", "jacobi", "block_jacobi", "chebyshev"}) {
      if (turn++ % 3 != 0) continue;
      const TestBackend& backend = product_backends()[turn % product_backends().size()];
      const Mode<T>& mode = pick(modes<T>(), turn % 2 == 0 ? "vector" : "task", "mode");
      SCOPED_TRACE(std::string(solver.name) + " " + m + " " + backend.name + " " + mode.name);
      check_solver(solver.hermitian ? definite : wind, backend, mode, solver.name, m);
    }
}

TEST_F(BackendsTest, ColumnsGoThroughEveryLevel) {
  if (!hypre::is_there()) GTEST_SKIP() << "this build has no hypre";
  check_solver(grid<double>("grid", 50, 40, 1, false), product_backends().front(),
               pick(modes<double>(), "vector", "mode"), "cg", "multigrid");
}

/// A column that cannot be solved stops for its own reason, and the others do not notice.
TYPED_TEST(Columns, StopForReasonsOfTheirOwn) {
  using T = TypeParam;
  SmallSystem<T> system = grid<T>("grid", 9, 8, 1, false);
  // Row 0 stands alone and is negative: only a right-hand side with that element breaks the method down.
  std::erase_if(system.entries, [](const Entry<T>& e) { return e.row == 0 || e.col == 0; });
  system.entries.push_back({0, 0, T(-1)});
  std::vector<std::vector<T>> b(3, system.right_hand_side());
  b[0][0] = b[2][0] = T(0);
  b[1][0] = T(1e4);
  Solved<T> together(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged", "sell",
                     3);
  together.set_b(by_rows(b));
  const double tolerance = 20 * reachable<T>();
  const auto results = together.solve_columns("cg", "none", {.tolerance = tolerance});
  EXPECT_EQ(results[0].stop, Stop::converged) << results[0].reason;
  EXPECT_EQ(results[1].stop, Stop::broke_down) << results[1].reason;
  EXPECT_EQ(results[2].stop, Stop::converged) << results[2].reason;
  EXPECT_EQ(results[0].history, results[2].history);
  for (const int most : {1, 3}) {
    const auto few = together.solve_columns("cg", "none", {.tolerance = tolerance, .max_iterations = most});
    EXPECT_EQ(few[0].stop, Stop::iterations);
    EXPECT_EQ(few[0].iterations, most);
  }
}

/// One that has ended before stays as it is while the others go on.
TYPED_TEST(Columns, ThatHaveEndedStay) {
  using T = TypeParam;
  const SmallSystem<T> small = grid<T>("grid", 9, 8, 1, false);
  for (const SolverRow<T>& solver : solvers<T>()) {
    SCOPED_TRACE(solver.name);
    Solved<T> solved(small, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged", "sell",
                     3);
    const auto m = Solved<T>::make("none", solved.request());
    const Vector<T> x = solved.A().make_vector();
    const double norm = solved.on().norm(solved.b()), goal = 20 * reachable<T>() * norm;
    System<T> system{solved.on(), solved.A(), *m, x, solved.b()};
    system.goal = goal;
    const auto method = solver.make(system);
    method->start();
    std::vector<SolveResult> results(3);
    std::vector<Iterated> columns;
    for (SolveResult& result : results)
      columns.push_back(
          {norm, result, Judge(goal, small.rows, std::numeric_limits<RealOf<T>>::epsilon(), false)});
    columns[1].left_out = columns[1].ended = true;
    iterate(
        *method, system, columns, [](int, double) { return false; }, 500);
    const std::vector<T> all = solved.whole(x);
    for (std::size_t i = 1; i < all.size(); i += 3) ASSERT_EQ(all[i], T(0)) << i;
    EXPECT_TRUE(results[1].history.empty());
    EXPECT_EQ(columns[0].judge.stop(), Stop::converged);
    EXPECT_EQ(columns[2].judge.stop(), Stop::converged);
    EXPECT_NE(all[0], T(0));
  }
}

/// Six start vectors, four at a time: the second turn has two too many.
TYPED_TEST(Columns, GiveTheMomentsOfSingleVectors) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 7, 6, 0.7, false, -1.5);
  const MomentsOptions options{.moments = 33, .vectors = 6, .seed = 3, .bounds = Bounds{-3, 10}};
  std::vector<std::vector<double>> expected;
  for (const int columns : {1, 4, 6, 8}) {
    SCOPED_TRACE(std::to_string(columns) + " columns");
    Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "task", "mode"), "staged", "sell",
                     columns);
    const Moments moments =
        moments_of_random(solved.on(), solved.A(), solved.request().rows.original_row, options);
    ASSERT_EQ(moments.of_vector.size(), 6U);
    if (expected.empty()) expected = moments.of_vector;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(moments.of_vector[i].size(), 33U);
      for (std::size_t n = 0; n < 33; ++n)
        EXPECT_NEAR(moments.of_vector[i][n], expected[i][n],
                    200 * std::numeric_limits<RealOf<T>>::epsilon() * static_cast<double>(n + 1));
    }
  }
}

}  // namespace
}  // namespace spmv::test
