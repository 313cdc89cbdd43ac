// Why solvers stop: the true reason, and not before it is true.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/function_preconditioner.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
SmallSystem<T> diagonal(gidx rows, double decades) {
  SmallSystem<T> system{"diagonal", rows, {}};
  for (gidx i = 0; i < rows; ++i)
    system.entries.push_back(
        {i, i,
         static_cast<T>(std::pow(10.0, -decades * static_cast<double>(i) / static_cast<double>(rows - 1)))});
  return system;
}

SmallSystem<double> hilbert(gidx rows) {
  SmallSystem<double> system{"hilbert", rows, {}};
  for (gidx i = 0; i < rows; ++i)
    for (gidx j = 0; j < rows; ++j) system.entries.push_back({i, j, 1.0 / static_cast<double>(i + j + 1)});
  return system;
}

/// The Laplacian of a ring, which maps constant vectors to 0.
template <class T>
SmallSystem<T> ring(gidx rows) {
  SmallSystem<T> system{"ring", rows, {}};
  for (gidx i = 0; i < rows; ++i) {
    system.entries.push_back({i, i, T(2)});
    system.entries.push_back({i, (i + 1) % rows, T(-1)});
    system.entries.push_back({i, (i + rows - 1) % rows, T(-1)});
  }
  return system;
}

template <class T>
Solved<T> on_ranks(const SmallSystem<T>& system) {
  return Solved<T>(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
}

/// The residual rises for thousands of iterations before it falls.
TEST_F(BackendsTest, ConjugateGradientsHavePatience) {
  const SmallSystem<double> system = diagonal<double>(1000, 7);
  Solved<double> solved = on_ranks(system);
  solved.set_b(std::vector<double>(1000, 1.0));
  for (const char* solver : {"cg", "cg_classical"}) {
    const SolveResult result = solved.solve(solver, "none", {.tolerance = 1e-5, .max_iterations = 20000});
    EXPECT_EQ(result.stop, Stop::converged) << solver << ": " << result.reason;
    EXPECT_GT(result.iterations, 2000);
  }
  // More than so many iterations a row without a smaller residual.
  const SmallSystem<double> worse = diagonal<double>(100, 10);
  Solved<double> few_rows = on_ranks(worse);
  few_rows.set_b(std::vector<double>(100, 1.0));
  const SolveResult result = few_rows.solve("cg", "none", {.tolerance = 1e-4, .max_iterations = 50000});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_GT(result.iterations, 2000);
}

TEST_F(BackendsTest, ConjugateGradientsIterateNoLongerThanIsOfUse) {
  const SmallSystem<double> system = hilbert(12);
  Solved<double> solved = on_ranks(system);
  std::vector<double> b;
  for (int i = 0; i < 12; ++i) b.push_back(i % 2 == 0 ? 1 : -1);
  solved.set_b(b);
  for (const char* solver : {"cg", "cg_classical", "cg_pipelined"}) {
    const SolveResult result = solved.solve(solver, "none", {.tolerance = 1e-12});
    EXPECT_EQ(result.stop, Stop::stagnated) << solver << ": " << result.reason;
    EXPECT_LT(result.iterations, 400) << solver;
  }
}

/// Rounding lets the recurrences drift until (p, A p) is negative by them, on matrices that are positive definite.
TEST_F(BackendsTest, PipelinedGradientsDoNotBlameTheMatrix) {
  SmallSystem<float> system{"path", 400, {}};
  for (gidx i = 0; i < 400; ++i) {
    system.entries.push_back({i, i, 2});
    if (i > 0) system.entries.push_back({i, i - 1, -1});
    if (i < 399) system.entries.push_back({i, i + 1, -1});
  }
  Solved<float> solved = on_ranks(system);
  const SolveResult result = solved.solve("cg_pipelined", "none", {.tolerance = 1e-6});
  EXPECT_TRUE(result.stop == Stop::stagnated || result.stop == Stop::converged) << result.reason;
  // A matrix that has a negative eigenvalue is named.
  const SmallSystem<float> indefinite = grid<float>("indefinite", 9, 8, 1, false, -1);
  EXPECT_EQ(on_ranks(indefinite).solve("cg_pipelined", "none", {}).stop, Stop::broke_down);
}

TEST_F(BackendsTest, ToleranceZeroEndsWhereRoundingBegins) {
  const SmallSystem<double> system = grid<double>("grid", 11, 9, 0.2, false);
  Solved<double> solved = on_ranks(system);
  for (const SolverRow<double>& solver : solvers<double>()) {
    const SolveResult result = solved.solve(solver.name, "none", {.tolerance = 0});
    EXPECT_EQ(result.stop, Stop::stagnated) << solver.name << ": " << result.reason;
    EXPECT_LT(result.residual, std::string(solver.name) == "cg_pipelined" ? 1e-9 : 1e-13) << solver.name;
    EXPECT_LT(result.iterations, 400) << solver.name;
  }
  for (const double bad : {HUGE_VAL, std::nan(""), -1.0})
    EXPECT_THROW(solved.solve("cg", "none", {.tolerance = bad}), AgreedError);
}

/// A preconditioner gives NaN from some application on: x is still that of an iteration before.
TEST_F(BackendsTest, WhatIsNotFiniteDoesNotReachX) {
  const SmallSystem<double> system = grid<double>("grid", 11, 9, 0.2, false);
  for (const SolverRow<double>& solver : solvers<double>())
    for (const int last : {1, 2, 3, 6, 7}) {
      Solved<double> solved = on_ranks(system);
      auto jacobi = solved.make("jacobi", solved.request());
      int applied = 0;
      FunctionPreconditioner<double> m([&](const VectorRef<double>& r, const VectorRef<double>& z) {
        jacobi->apply(r, z);
        const auto bytes = static_cast<std::size_t>(z.count) * sizeof(double);
        if (++applied > last) solved.on().queue().fill(z.at, 0xff, bytes);
      });
      const SolveResult result = solved.solve(solver.name, m, {});
      EXPECT_EQ(result.stop, Stop::not_finite) << solver.name << ": " << result.reason;
      for (const double x : solved.x()) EXPECT_TRUE(std::isfinite(x)) << solver.name << ", " << last;
    }
}

/// b has a part that no x reaches.
TEST_F(BackendsTest, SingularSystemsWithoutASolutionStagnate) {
  for (const gidx rows : {24, 3000}) {
    const SmallSystem<double> system = ring<double>(rows);
    Solved<double> solved = on_ranks(system);
    std::vector<double> b = system.right_hand_side();
    for (double& value : b) value += 0.1;
    solved.set_b(b);
    for (const char* solver : {"cg", "cg_classical"}) {
      const SolveResult result = solved.solve(solver, "none", {.max_iterations = 100000});
      EXPECT_EQ(result.stop, Stop::stagnated) << solver << ": " << result.reason;
      EXPECT_NE(result.reason.find("constant"), std::string::npos) << result.reason;
      EXPECT_TRUE(result.maps_constants);
      EXPECT_LT(result.iterations, 3 * rows + 1000) << solver;
    }
    const SolveResult result = solved.solve("cg", "none", {.project_constant = true});
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_GT(result.left_out, 0.05);
    EXPECT_LT(result.left_out, 1);
  }
}

TEST_F(BackendsTest, ConstantsAreLeftOutOnlyWhereTheyMapToZero) {
  for (const auto& [shift, sum] : {std::pair{0.5, "add up to 0.5,"}, {1e-5, "add up to 1e-05,"}}) {
    SmallSystem<double> system = ring<double>(30);
    for (Entry<double>& e : system.entries)
      if (e.row == 17 && e.col == 17) e.value += shift;
    Solved<double> solved = on_ranks(system);
    const auto& ids = solved.request().rows.original_row;
    expect_refused([&] { solved.solve("cg", "none", {.project_constant = true, .row_ids = &ids}); },
                   {"row 18", "constant", sum});
  }
}

}  // namespace
}  // namespace spmv::test
