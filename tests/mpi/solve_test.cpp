// Solvers on ranks, against the same recurrence in long double on one, and against what they must do with bad input.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/check_finite.hpp"
#include "support/function_preconditioner.hpp"
#include "support/small_system.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
class Solvers : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Solvers, ValueTypes);

/// Relative residual norms of conjugate gradients are those of the long double ones, until they are small. The recurrences of
/// the pipelined form lose accuracy while the residual falls, so it is compared to a tenth.
template <class T>
void check_history(const SmallSystem<T>& system, const std::string& solver, bool jacobi,
                   const SolveResult& result) {
  const auto wide = wide_history(system, jacobi, result.history.size() + 1);
  const bool is_float = sizeof(RealOf<T>) == sizeof(float);
  const double precise = (is_float ? 1e-2 : 1e-5) * (solver == "cg_pipelined" ? 10 : 1);
  for (std::size_t i = 0; i < std::min(wide.size(), result.history.size()); ++i) {
    if (wide[i] < 1e3 * reachable<T>()) continue;
    ASSERT_NEAR(result.history[i], wide[i], precise * wide[i]) << "iteration " << i;
  }
}

template <class T>
void check_solution(Solved<T>& solved, const SmallSystem<T>& system, const SolverRow<T>& solver,
                    const PreconditionerRow<T>& m) {
  SCOPED_TRACE(system.name + " " + solver.name + " " + m.name);
  const double tolerance = reachable<T>() * (std::string(solver.name) == "cg_pipelined" ? 100 : 1);
  const SolveResult result = solved.solve(solver.name, m.name, {.tolerance = tolerance});
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  ASSERT_LE(solved.true_residual(), 1.3 * tolerance);
  ASSERT_EQ(static_cast<int>(result.history.size()), result.iterations + 1 + result.restarts);
  const bool of_diagonal = std::string(m.name) == "jacobi";
  if (std::string(solver.name).substr(0, 2) == "cg" && result.restarts == 0 &&
      (of_diagonal || std::string(m.name) == "none"))
    check_history(system, solver.name, of_diagonal, result);
}

template <class T>
std::vector<SmallSystem<T>> systems(gidx n) {
  return {grid<T>("grid", n, n - 1, 1, false), grid<T>("one row", 1, 1, 1, false),
          grid<T>("weak and scaled", n + 3, n - 2, 0.05, true), grid<T>("line", 4 * n, 1, 0, false, 0.1),
          grid<T>("two rows", 2, 1, 1, false)};
}

/// One that does its work at once, and one that does it late.
std::vector<TestBackend> two_backends() {
  return {product_backends().front(), product_backends().back()};
}

/// Every mode and transport, with a solver and a preconditioner in turn. Value types share the work.
TYPED_TEST(Solvers, FindTheSolutionInEveryMode) {
  using T = TypeParam;
  const auto all = systems<T>(5);
  std::size_t turn = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world())))
      for (const Mode<T>& mode : modes<T>()) {
        if (mode.needs_queued_exchange && world().size() > 1 && !only_queues_work(transport->name)) continue;
        const std::size_t at = turn++;
        if (at % 4 != number_of<T>) continue;
        SCOPED_TRACE(std::string(backend.name) + " " + mode.name + " " + transport->name);
        const SmallSystem<T>& system = all[at / 4 % all.size()];
        Solved<T> solved(system, backend, mode, transport->name);
        const auto& some = solvers<T>();
        check_solution(solved, system, some[(at / 4 + number_of<T>) % some.size()],
                       preconditioners<T>()[at / 16 % preconditioners<T>().size()]);
      }
}

/// Every solver with every preconditioner, on systems of which some leave ranks without rows.
TYPED_TEST(Solvers, FindTheSolutionWithEveryPreconditioner) {
  using T = TypeParam;
  const auto all = systems<T>(12);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Solved<T> solved(all[i], product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    std::size_t turn = i;
    for (const SolverRow<T>& solver : solvers<T>())
      for (const PreconditionerRow<T>& m : preconditioners<T>())
        if (turn++ % 2 == 0 || i == 0) check_solution(solved, all[i], solver, m);
  }
}

/// Formats whose products sum their rows on a GPU, in every mode.
TYPED_TEST(Solvers, FindTheSolutionInPackedFormats) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 13, 12, 1, false);
  const auto none = pick(preconditioners<T>(), "none", "preconditioner");
  for (const std::string format : {"sell_packed", "sell_blocked"})
    for (const char* mode : {"vector", "task"}) {
      SCOPED_TRACE(format + " " + mode);
      Solved<T> solved(system, product_backends().front(), pick(modes<T>(), mode, "mode"), "staged", format);
      check_solution(solved, system, pick(solvers<T>(), "cg", "solver"), none);
    }
}

/// Matrices that are not hermitian. What the recurrence says of the residual must be true.
TYPED_TEST(Solvers, NeedNoHermitianMatrixForBiCgStab) {
  using T = TypeParam;
  const SmallSystem<T> system = convection<T>("convection", 12, 10, 2);
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "naive", "mode"), "staged");
  for (const char* m : {"none", "jacobi", "block_jacobi"}) {
    const SolveResult result = solved.solve("bicgstab", m, {.tolerance = 10 * reachable<T>()});
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_LE(solved.true_residual(), 13 * reachable<T>());
    EXPECT_EQ(result.restarts, 0);
    EXPECT_LT(result.iterations, 60);
  }
  const SolveResult result = solved.solve("bicgstab", "none", {.tolerance = 1e-6, .max_iterations = 6});
  const auto wide = wide_bicgstab_history(system, result.history.size());
  for (std::size_t i = 0; i < wide.size(); ++i)
    EXPECT_NEAR(result.history[i], wide[i], 1e-2 * wide[i]) << "iteration " << i;
}

/// Of a matrix with eigenvalues on both sides of 0, on which conjugate gradients have no ground to stand: the residual never
/// rises.
TYPED_TEST(Solvers, FindSolutionsOfIndefiniteSystemsByMinres) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("indefinite", 11, 9, 0.6, true, -0.7);
  Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
  const SolveResult plain = solved.solve("minres", "none", {.tolerance = 10 * reachable<T>()});
  EXPECT_EQ(plain.stop, Stop::converged) << plain.reason;
  EXPECT_LE(solved.true_residual(), 13 * reachable<T>());
  for (std::size_t i = 1; i < plain.history.size(); ++i)
    EXPECT_LE(plain.history[i], (1 + 1e-4) * plain.history[i - 1]) << i;
  // A positive diagonal, as the rows are scaled: fewer iterations, and the history is that of the residual all the same.
  std::vector<T> weights;
  for (gidx i = 0; i < system.rows; ++i) weights.push_back(T(1 / std::pow(RealOf<T>(1 + i % 3), 2)));
  const Vector<T> w = solved.A().make_vector();
  solved.set(w, weights);
  FunctionPreconditioner<T> m([&](const VectorRef<T>& r, const VectorRef<T>& z) {
    solved.on().run(Combination<T>().multiply(z, w, r));
  });
  const SolveResult result = solved.solve("minres", m, {.tolerance = 10 * reachable<T>()});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LT(result.iterations, plain.iterations);
  EXPECT_LE(solved.true_residual(), 13 * reachable<T>());
  EXPECT_NEAR(result.history.back(), solved.true_residual(), 0.1 * result.history.back());
}

/// The same bits on all ranks, in every run, and however far the host is ahead: iterations that were queued too many change
/// nothing, be it that the residual is small or that the method broke down.
template <class T>
void check_repeats(const SmallSystem<T>& system, const char* m, Stop stop) {
  std::vector<std::vector<T>> first(solvers<T>().size());
  for (const TestBackend& backend : two_backends()) {
    Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
    for (std::size_t i = 0; i < solvers<T>().size(); ++i) {
      const SolverRow<T>& solver = solvers<T>()[i];
      if (stop == Stop::broke_down && !solver.definite) continue;
      SCOPED_TRACE(std::string(backend.name) + " " + system.name + " " + solver.name + " " + m);
      const SolveResult result = solved.solve(solver.name, m, {.tolerance = 1e-3});
      EXPECT_EQ(result.stop, stop) << result.reason;
      if (first[i].empty()) first[i] = solved.x();
      EXPECT_EQ(first[i], solved.x());
      for (const double last : world().all_gather(result.history.back()))
        EXPECT_EQ(last, result.history.back());
    }
  }
}

TYPED_TEST(Solvers, RepeatThemselves) {
  using T = TypeParam;
  const bool odd = number_of<T> % 2 == 1;
  check_repeats(grid<T>("grid", 5, 4, 0.3, true), odd ? "block_jacobi" : "none", Stop::converged);
  check_repeats(grid<T>("indefinite", 5, 4, 1, false, -1), odd ? "none" : "block_jacobi", Stop::broke_down);
}

TEST_F(BackendsTest, SumsSayWhomTheyWaitFor) {
  const SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"), "p2p");
  Workspace<double>& on = solved.on();
  EXPECT_EQ(on.waiting_for(), "");
  const auto add_up = [&] {
    on.add_up();
    on.queue().synchronize();
  };
  if (world().rank() != 0) {
    world().barrier();  // rank 0 comes here once it waits for the others
    return add_up();
  }
  std::thread sums(add_up);
  while (world().size() > 1 && on.waiting_for().find("adding up sums, which waits for flags from rank") != 0)
    std::this_thread::yield();
  world().barrier();
  sums.join();
  EXPECT_EQ(on.waiting_for(), "");
}

TEST_F(BackendsTest, SolversSayWhyTheyStop) {
  for (const TestBackend& backend : two_backends()) {
    SCOPED_TRACE(backend.name);
    const Mode<double>& mode = pick(modes<double>(), "vector", "mode");
    const SmallSystem<double> good = grid<double>("grid", 10, 8, 1, false);
    Solved<double> solved(good, backend, mode, "staged");
    EXPECT_EQ(solved.solve("cg", "none", {.max_iterations = 5}).stop, Stop::iterations);
    EXPECT_EQ(solved.solve("cg", "none", {.max_iterations = 5}).iterations, 5);
    // x is that of the fifth iteration, however far the host was ahead.
    const double fifth = solved.solve("cg", "none", {}).history.at(5);
    EXPECT_NEAR(solved.solve("cg", "none", {.max_iterations = 5}).residual / fifth, 1, 1e-9);
    int asked = 0;
    const auto watch = [&](int iterations, double) {
      return world().rank() == 0 && iterations >= 16 && ++asked > 0;
    };
    EXPECT_EQ(solved.solve("cg", "none", {.tolerance = 1e-12, .watch = watch}).stop, Stop::asked);
    solved.set_b(std::vector<double>(80, 0.0));
    const SolveResult nothing = solved.solve("cg", "none", {});
    EXPECT_EQ(nothing.stop, Stop::converged);
    EXPECT_EQ(nothing.iterations, 0);
    EXPECT_EQ(solved.x(), std::vector<double>(80, 0.0));
    std::vector<double> bad(150, 1.0);
    bad[79] = std::numeric_limits<double>::quiet_NaN();
    solved.set_b(bad);
    EXPECT_THROW(solved.solve("cg", "none", {}), AgreedError);
  }
}

TEST_F(BackendsTest, SolversStopWhereTheResidualStagnates) {
  const SmallSystem<double> system = grid<double>("grid", 7, 4, 1, false);
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                        "staged");
  for (const char* solver : {"cg", "cg_classical"})
    EXPECT_EQ(solved.solve(solver, "none", {.tolerance = 1e-18}).stop, Stop::stagnated) << solver;
}

/// A rotation turns every vector by a right angle: (r0, v) is 0 at once.
TEST_F(BackendsTest, BiCgStabSaysThatItBrokeDown) {
  SmallSystem<double> rotation{"rotation", 8, {}};
  for (gidx i = 0; i < 8; i += 2) {
    rotation.entries.push_back({i, i + 1, 1});
    rotation.entries.push_back({i + 1, i, -1});
  }
  for (const TestBackend& backend : two_backends()) {
    Solved<double> solved(rotation, backend, pick(modes<double>(), "vector", "mode"), "staged");
    for (const char* solver : {"bicgstab", "bicgstab_2"}) {
      EXPECT_EQ(solved.solve(solver, "none", {}).stop, Stop::broke_down) << solver;
      EXPECT_EQ(solved.x(), std::vector<double>(8, 0.0)) << solver;
    }
  }
}

TEST_F(BackendsTest, SolversFindValuesThatAreNotFinite) {
  SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  const std::vector<double> b = system.right_hand_side();
  for (auto& e : system.entries)
    if (e.row == 17 && e.col == 17) e.value = std::numeric_limits<double>::infinity();
  for (const TestBackend& backend : two_backends()) {
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged");
    solved.set_b(b);
    for (const auto& solver : solvers<double>()) {
      EXPECT_EQ(solved.solve(solver.name, "none", {}).stop, Stop::not_finite) << solver.name;
      EXPECT_EQ(solved.x(), std::vector<double>(30, 0.0)) << solver.name;
    }
  }
}

/// In columns of a rank's own, and of others.
TYPED_TEST(Solvers, NameElementsThatAreNotFinite) {
  using T = TypeParam;
  const SmallSystem<T> good = grid<T>("grid", 6, 5, 1, false);
  for (const auto& [row, column] : {std::pair<gidx, gidx>{17, 17}, {17, 16}, {17, 23}, {29, 23}, {0, 6}}) {
    SmallSystem<T> system = good;
    for (auto& e : system.entries)
      if (e.row == row && e.col == column) e.value = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
    Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    const auto& rows = solved.request().rows;
    const std::string mine = element_not_finite(world(), rows, rows.original_row, rows.original_col);
    EXPECT_EQ(world().sum(mine.empty() ? gidx{0} : gidx{1}), 1);
    if (!mine.empty()) {
      EXPECT_EQ(
          mine.rfind("row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) + " is nan",
                     0),
          0U)
          << mine;
    }
  }
}

TEST_F(BackendsTest, SolversNameTheRowOfABadRightHandSide) {
  const SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  for (const TestBackend& backend : two_backends()) {
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged", "pjds");
    std::vector<double> b = system.right_hand_side();
    b[11] = -std::numeric_limits<double>::infinity();
    solved.set_b(b);
    const auto& ids = solved.request().rows.original_row;
    expect_refused([&] { solved.solve("cg", "none", {.row_ids = &ids}); },
                   {"right-hand side", "row 12 is -inf"});
  }
}

TYPED_TEST(Solvers, RefuseMatricesThatAreNotHermitian) {
  using T = TypeParam;
  SmallSystem<T> system = grid<T>("grid", 8, 6, 1, false);
  for (auto& e : system.entries)
    if (e.row == 20 && e.col == 21) e.value *= T(1.5F);
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  for (const SolverRow<T>& solver : solvers<T>()) {
    const auto solve = [&] { solved.solve(solver.name, "none", {.tolerance = 1e-3}); };
    if (solver.hermitian)
      expect_refused(solve, {"(u, A v)", std::string("solver ") + solver.name});
    else
      EXPECT_NO_THROW(solve());
  }
  EXPECT_NO_THROW(solved.solve("cg", "none", {.tolerance = 1e-3, .check = false}));
}

/// A ring, whose matrix maps constant vectors to 0, and a b that no x reaches.
TYPED_TEST(Solvers, LeaveOutConstantVectorsIfAsked) {
  using T = TypeParam;
  constexpr gidx rows = 24;
  SmallSystem<T> ring{"ring", rows, {}};
  for (gidx i = 0; i < rows; ++i) {
    ring.entries.push_back({i, i, T(2)});
    ring.entries.push_back({i, (i + 1) % rows, T(-1)});
    ring.entries.push_back({i, (i + rows - 1) % rows, T(-1)});
  }
  Solved<T> solved(ring, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  std::vector<T> b = ring.right_hand_side();
  for (T& value : b) value += T(3);
  solved.set_b(b);
  for (const SolverRow<T>& solver : solvers<T>()) {
    const SolveResult result =
        solved.solve(solver.name, "none", {.tolerance = 1e-4, .project_constant = true});
    EXPECT_EQ(result.stop, Stop::converged) << solver.name << ": " << result.reason;
    EXPECT_LE(solved.true_residual(), 2e-4) << solver.name;
    std::complex<double> sum = 0;
    for (const T& value : solved.x()) sum += std::complex<double>(value);
    EXPECT_LE(std::abs(sum), 1e-4) << solver.name;
  }
}

}  // namespace
}  // namespace spmv::test
