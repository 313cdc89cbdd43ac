// A hierarchy of levels that the test brings: what a cycle does, against its definition in long double, and what is refused.
#include "dist/solve/hierarchy.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/small_hierarchy.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
class Hierarchies : public testing::Test {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Hierarchies, ValueTypes);

/// What a cycle of two levels is: smoothing, the correction by the coarser level, smoothing. The smoother alone is a hierarchy of
/// one level.
TYPED_TEST(Hierarchies, ACycleIsWhatItsDefinitionSays) {
  using T = TypeParam;
  const SmallSystem<T> system = test_grid<T>();
  std::size_t turn = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world()))) {
      if (turn++ % 4 != number_of<T>) continue;
      SCOPED_TRACE(std::string(backend.name) + " " + transport->name);
      Solved<T> solved = on_ranks(system, backend, transport->name, turn % 8 < 4 ? "pjds" : "csr");
      for (const std::string& smoother : smoothers()) {
        const HierarchyOptions options{.smoother = smoother, .degree = static_cast<int>(turn % 3)};
        Levels<T> levels(solved, 1);
        Hierarchy<T> smooth(solved.on(), solved.A(), solved.request().rows, {}, options);
        Hierarchy<T> two(solved.on(), solved.A(), solved.request().rows, levels.given, options);
        const Dense<T>&A = levels.matrices[0], &P = levels.prolongations[0];
        const Column<T> r = numbers<T>(system.rows, 5);
        Column<T> z = applied<T>(solved, smooth, r);
        const Column<T> coarse =
            times<T>(adjoint<T>(P, levels.given[0].rows.total()), sum<T>(r, times<T>(A, z), -1));
        const Column<T> x = applied<T>(solved, two, r);
        z = sum<T>(z, times<T>(P, solution<T>(levels.matrices[1], coarse)), 1);
        z = sum<T>(z, applied<T>(solved, smooth, sum<T>(r, times<T>(A, z), -1)), 1);
        EXPECT_LE(wide_ratio<T>(sum<T>(x, z, -1), z), sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-13);
      }
    }
}

/// Cycles are hermitian and positive definite, and of more levels: conjugate gradients need about as many iterations on any
/// ranks.
TYPED_TEST(Hierarchies, ConjugateGradientsConvergeFastOnAnyRanks) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 15, 12, 1, true);
  const double tolerance = reachable<T>();
  for (const bool w_cycle : {false, true}) {
    Solved<T> solved = on_ranks(system, product_backends().back(), "staged");
    Levels<T> levels(solved, 3);
    Hierarchy<T> m(solved.on(), solved.A(), solved.request().rows, std::move(levels.given),
                   {.degree = 2, .w_cycle = w_cycle});
    EXPECT_NE(m.choices().find(w_cycle ? "W-cycle" : "V-cycle"), std::string::npos) << m.choices();
    EXPECT_EQ(m.timed_work().size(), 3U);
    const Column<T> u = numbers<T>(system.rows, 1), v = numbers<T>(system.rows, 2);
    const Wide<T> one = wide_dot<T>(u, applied<T>(solved, m, v)),
                  other = wide_dot<T>(applied<T>(solved, m, u), v);
    EXPECT_LE(static_cast<double>(std::abs(one - other) / std::abs(one)),
              sizeof(RealOf<T>) == sizeof(float) ? 1e-4 : 1e-12);
    for (const char* solver : {"cg", "cg_classical", "bicgstab", "bicgstab_2"}) {
      const SolveResult result = solved.solve(solver, m, {.tolerance = tolerance});
      EXPECT_EQ(result.stop, Stop::converged) << result.reason;
      EXPECT_LE(solved.true_residual(), 1.3 * tolerance);
      EXPECT_LT(result.iterations, sizeof(RealOf<T>) == sizeof(float) ? 16 : 30) << solver;
    }
  }
}

/// A hierarchy is scaled with its matrix.
TEST_F(BackendsTest, HierarchiesOfTinyMatricesAreThoseOfOthers) {
  const SmallSystem<double> system = grid<double>("grid", 12, 11, 0.6, true, 0.01);
  SmallSystem<double> tiny = system;
  for (auto& e : tiny.entries) e.value = std::ldexp(e.value, -700);
  const auto history = [&](const SmallSystem<double>& of) {
    Solved<double> solved = on_ranks(of, product_backends().front(), "staged");
    std::vector<CoarseLevel<double>> given;
    {
      Solved<double> plain = on_ranks(system, product_backends().front(), "staged");
      given = Levels<double>(plain, 2).given;
    }
    if (&of == &tiny)
      for (CoarseLevel<double>& level : given)
        for (double& value : level.A.value) value = std::ldexp(value, -700 - solved.A().exponent());
    Hierarchy<double> m(solved.on(), solved.A(), solved.request().rows, std::move(given), {});
    return solved.solve("cg", m, {.tolerance = 1e-10}).history;
  };
  const std::vector<double> expected = history(system), found = history(tiny);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6 * expected[i]);
}

class HierarchyMistakes : public BackendsTest {
 protected:
  const SmallSystem<double> system_ = grid<double>("grid", 6, 5, 1, false);
  Solved<double> solved_ = on_ranks(system_, product_backends().front(), "staged");
  Levels<double> levels_{solved_, 2};
  void expect(const std::vector<std::string>& words, const HierarchyOptions& options = {}) {
    expect_refused(
        [&] { Hierarchy<double>(solved_.on(), solved_.A(), solved_.request().rows, levels_.given, options); },
        words);
    EXPECT_EQ(solved_.on().waiting_for(), "");  // it looks at no level that has ended
  }
  bool is_last() const { return world().rank() == world().size() - 1; }
};

TEST_F(HierarchyMistakes, ShapesThatDoNotFitAreNamed) {
  if (is_last()) levels_.given[0].P.row_ptr.push_back(levels_.given[0].P.row_ptr.back());
  expect({"P of level 1", "rows"});
}

TEST_F(HierarchyMistakes, ColumnsThatDoNotExistAreNamed) {
  RowBlock<double>& R = levels_.given[1].R;
  if (!R.col.empty()) R.col.back() = 1000;
  expect({"R of level 2", "column 1001"});
}

TEST_F(HierarchyMistakes, DiagonalsThatAreNotPositiveAreNamed) {
  RowBlock<double>& A = levels_.given[0].A;
  if (A.first_row == 0 && A.rows() > 0)
    for (offset k = 0; k < A.row_ptr[1]; ++k)
      if (A.col[static_cast<std::size_t>(k)] == 0) A.value[static_cast<std::size_t>(k)] = 0;
  expect({"level 1", "row 1 (counted from 1)", "0 on its diagonal"});
}

/// By the names that their owner gave them, on whatever rank they are.
TEST_F(HierarchyMistakes, RowsOfGatheredLevelsHaveTheirFirstNames) {
  CoarseLevel<double>& level = levels_.given[0];
  for (gidx row = 0; row < level.A.rows(); ++row) level.ids.push_back(100 + level.A.first_row + row);
  for (std::size_t row = 0; row < level.ids.size(); ++row)
    for (offset k = level.A.row_ptr[row]; k < level.A.row_ptr[row + 1]; ++k)
      if (level.ids[row] - 100 == level.rows.total() - 1 &&
          level.A.col[static_cast<std::size_t>(k)] == level.rows.total() - 1)
        level.A.value[static_cast<std::size_t>(k)] = 0;
  const std::string name = "row " + std::to_string(100 + level.rows.total());
  expect({"level 1", name, "0 on its diagonal"}, {.least_rows = 1 << 20});
}

/// Rows of the finest level are named as when they were read.
TEST_F(HierarchyMistakes, RowsOfTheFinestLevelHaveTheirFirstNames) {
  SmallSystem<double> system = system_;
  for (Entry<double>& e : system.entries)
    if (e.row == 4 && e.col == 4) e.value = 0;
  Solved<double> solved = on_ranks(system, product_backends().front(), "staged");
  DistributedRows<double> rows = solved.request().rows;
  for (gidx& name : rows.original_row) name = system.rows - 1 - name;
  expect_refused([&] { Hierarchy<double>(solved.on(), solved.A(), rows, {}, {}); },
                 {"level 0", "in row 26 (counted from 1)"});
}

TEST_F(HierarchyMistakes, CoarsestLevelsThatAreLargeOrSingularAreNamed) {
  expect({"level 2", "make more levels"}, {.most_dense = 1});
  for (double& value : levels_.given[1].A.value) value = 1;
  RowBlock<double>& A = levels_.given[1].A;
  A.col.clear();
  A.value.clear();
  for (gidx row = 0; row < A.rows(); ++row) {
    for (gidx col = 0; col < levels_.given[1].rows.total(); ++col) A.col.push_back(col), A.value.push_back(1);
    A.row_ptr[static_cast<std::size_t>(row) + 1] = static_cast<offset>(A.col.size());
  }
  if (levels_.given[1].rows.total() > 1) expect({"level 2", "no inverse"});
}

/// A sanitizer sees it if the workspace still looks at levels.
TEST_F(HierarchyMistakes, WorkspacesOutliveLevels) {
  Hierarchy<double>(solved_.on(), solved_.A(), solved_.request().rows, levels_.given, {});
  EXPECT_EQ(solved_.on().waiting_for(), "");
}

TEST_F(HierarchyMistakes, UnknownSmoothersAreNamed) {
  try {
    Hierarchy<double>(solved_.on(), solved_.A(), solved_.request().rows, levels_.given,
                      {.smoother = "magic"});
    ADD_FAILURE() << "accepted";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("chebyshev, jacobi"), std::string::npos) << error.what();
  }
}

/// An indefinite cycle: conjugate gradients say so.
TEST_F(HierarchyMistakes, CyclesThatAreNotPositiveStopTheSolver) {
  for (double& value : levels_.given[0].R.value) value *= -50;
  Hierarchy<double> m(solved_.on(), solved_.A(), solved_.request().rows, levels_.given, {});
  for (const char* solver : {"cg", "cg_classical"})
    EXPECT_EQ(solved_.solve(solver, m, {.tolerance = 1e-12, .max_iterations = 100}).stop, Stop::broke_down)
        << solver;
  // Its recurrences drift, so it cannot tell.
  EXPECT_NE(solved_.solve("cg_pipelined", m, {.tolerance = 1e-12, .max_iterations = 100}).stop,
            Stop::converged);
}

}  // namespace
}  // namespace spmv::test
