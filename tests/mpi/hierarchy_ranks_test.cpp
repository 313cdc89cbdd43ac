// Hierarchies whose levels stand on fewer ranks, and of matrices that map constant vectors to 0.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/hierarchy_level.hpp"
#include "support/small_hierarchy.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
class FewerRanks : public testing::Test {};
using ValueTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FewerRanks, ValueTypes);

/// Levels on fewer ranks, on any of them, with ranks that have no rows of any level.
TYPED_TEST(FewerRanks, LevelsOnFewerRanksDoTheSame) {
  using T = TypeParam;
  const double rounding = sizeof(RealOf<T>) == sizeof(float) ? 1e-4 : 1e-11;
  std::size_t turn = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world()))) {
      if (turn++ % 4 != number_of<T>) continue;
      SCOPED_TRACE(std::string(backend.name) + " " + transport->name);
      // Some ranks have no rows of the small one.
      const SmallSystem<T> system = turn % 8 < 4 ? test_grid<T>() : grid<T>("few", 3, 2, 0.4, true, 0.05);
      Solved<T> solved = on_ranks(system, backend, transport->name);
      const Levels<T> levels(solved, 3);
      const gidx of_level_1 = levels.given[0].rows.total(), all_on_one = 1 << 20;
      const Column<T> r = numbers<T>(system.rows, 5);
      Column<T> z;
      int iterations = 0;
      for (const gidx least_rows : {gidx{0}, of_level_1 / world().size(), all_on_one}) {
        Hierarchy<T> m(solved.on(), solved.A(), solved.request().rows, levels.given,
                       {.smoother = smoothers()[turn / 4 % 2], .least_rows = least_rows});
        const Column<T> found = applied<T>(solved, m, r);
        const SolveResult result = solved.solve("cg", m, {.tolerance = 1e-4});
        EXPECT_EQ(result.stop, Stop::converged) << result.reason;
        if (least_rows == 0) z = found, iterations = result.iterations;
        EXPECT_LE(wide_ratio<T>(sum<T>(found, z, -1), z), rounding);
        EXPECT_NEAR(result.iterations, iterations, sizeof(RealOf<T>) == sizeof(float) ? 1 : 0) << least_rows;
        const bool says_one = m.choices().find(", 1, 1, 1 ranks, ") != std::string::npos;
        EXPECT_TRUE(says_one || world().size() == 1 || least_rows != all_on_one) << m.choices();
      }
    }
}

/// The ranks of a level are every 2nd, 4th, ... one, and as many as have enough rows.
TEST_F(BackendsTest, LevelsStandOnAsManyRanksAsTheyNeed) {
  const int ranks = world().size();
  const RowPartition rows = RowPartition::even(gidx{10} * ranks, ranks);
  for (const auto& [least, group] : {std::pair{10, 1}, {11, 2}, {10 * ranks, 8}}) {
    const LevelMove gathered = gather_level(world(), rows, least);
    std::vector<gidx> counts(static_cast<std::size_t>(ranks), 0);
    for (int r = 0; r < ranks; ++r) counts[static_cast<std::size_t>(r - r % group)] += rows.count(r);
    EXPECT_EQ(gathered.move.new_ids(), rows.ids(world().rank()));
    for (int r = 0; r < ranks; ++r)
      EXPECT_EQ(gathered.move.partition().count(r), counts[static_cast<std::size_t>(r)])
          << least << " on rank " << r;
  }
}

/// Interpolated from vectors that are not constant on coarser levels.
TYPED_TEST(FewerRanks, ConstantVectorsMayBeLeftOut) {
  using T = TypeParam;
  const bool single = sizeof(RealOf<T>) == sizeof(float);
  const SmallSystem<T> system = free_grid<T>(15, 12);
  const SolveOptions options{.tolerance = reachable<T>(), .project_constant = true};
  for (const gidx least_rows : {0, 1 << 20}) {
    Solved<T> solved = on_ranks(system, product_backends().front(), "staged");
    const Levels<T> levels(solved, 3, Constants::some);
    Hierarchy<T> m(solved.on(), solved.A(), solved.request().rows, levels.given,
                   {.degree = 2, .least_rows = least_rows, .leaves_out_constants = true});
    const Column<T> u = numbers<T>(system.rows, 1), v = numbers<T>(system.rows, 2),
                    mu = applied<T>(solved, m, u), mv = applied<T>(solved, m, v);
    const Wide<T> one = wide_dot<T>(u, mv), other = wide_dot<T>(mu, v);
    EXPECT_LE(static_cast<double>(std::abs(one - other) / std::abs(one)), single ? 1e-4 : 1e-12);
    EXPECT_GT(std::real(wide_dot<T>(u, mu)), 0);
    const SolveResult plain = solved.solve("cg", "none", options);
    const std::vector<T> expected = solved.x();
    for (const char* solver : {"cg", "cg_classical", "minres", "bicgstab"}) {
      const SolveResult result = solved.solve(solver, m, options);
      EXPECT_EQ(result.stop, Stop::converged) << solver << ": " << result.reason;
      EXPECT_LT(result.iterations, single ? 14 : 24) << solver;
      EXPECT_LT(3 * result.iterations, 2 * plain.iterations) << solver;
      Column<T> x, y;
      for (const T& value : solved.x()) x.push_back(Wide<T>(value));
      for (const T& value : expected) y.push_back(Wide<T>(value));
      EXPECT_LE(wide_ratio<T>(sum<T>(x, y, -1), y), 1e3 * options.tolerance) << solver;
    }
    if (levels.given.back().rows.total() > 1)
      expect_refused([&] { Hierarchy<T>(solved.on(), solved.A(), solved.request().rows, levels.given, {}); },
                     {"level 3", "no inverse"});
  }
}

/// Of a coarsest level of one row nothing is left.
TEST_F(BackendsTest, ConstantsAreLeftOutOfASingleRow) {
  const SmallSystem<double> system = free_grid<double>(4, 3);
  Solved<double> solved = on_ranks(system, product_backends().front(), "staged");
  const RowPartition& rows = solved.request().rows.rows;
  std::vector<gidx> counts(static_cast<std::size_t>(world().size()), 0);
  counts[0] = 1;
  const RowPartition one = RowPartition::from_counts(counts);
  for (const long double rest : {0.0L, -1e-17L, 1e-17L}) {
    Dense<double> A = zeros<double>(1, 1), P = zeros<double>(12, 1);
    A[0][0] = rest;
    for (auto& row : P) row[0] = 1;
    std::vector<CoarseLevel<double>> given;
    given.push_back({one, rows_of<double>(A, one), rows_of<double>(P, rows),
                     rows_of<double>(adjoint<double>(P, 1), one)});
    Hierarchy<double> m(solved.on(), solved.A(), solved.request().rows, given,
                        {.leaves_out_constants = true});
    const SolveResult result = solved.solve("cg", m, {.tolerance = 1e-10, .project_constant = true});
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_LT(result.iterations, 12);
  }
}

}  // namespace
}  // namespace spmv::test
