// Levels that hypre makes: on any ranks, of singular matrices, and what happens where one rank fails.
#include <gtest/gtest.h>

#include "dist/solve/hierarchy.hpp"
#include "dist/solve/hypre/levels.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

class HypreLevels : public BackendsTest {
 protected:
  void SetUp() override {
    BackendsTest::SetUp();
    if (!hypre::is_there()) GTEST_SKIP() << "this build has no hypre";
  }
  static Solved<double> on_ranks(const SmallSystem<double>& system) {
    return {system, product_backends().front(), pick(modes<double>(), "vector", "mode"), "staged"};
  }
};

TEST_F(HypreLevels, DoTheSameOnFewerRanks) {
  for (const bool singular : {false, true}) {
    const SmallSystem<double> system =
        singular ? free_grid<double>(60, 50) : grid<double>("grid", 60, 50, 1, false);
    Solved<double> solved = on_ranks(system);
    const auto levels = hypre::make_levels(world(), solved.request().rows, {});
    ASSERT_FALSE(levels.empty());
    const SolveOptions options{.tolerance = 1e-10, .project_constant = singular};
    solved.solve("cg", "none", options);
    const std::vector<double> expected = solved.x();
    int iterations = 0;
    for (const gidx least_rows : {0, 1 << 20}) {
      Hierarchy<double> m(solved.on(), solved.A(), solved.request().rows, levels,
                          {.least_rows = least_rows, .leaves_out_constants = singular});
      const SolveResult result = solved.solve("cg", m, options);
      EXPECT_EQ(result.stop, Stop::converged) << result.reason;
      EXPECT_LT(result.iterations, 16);
      if (least_rows == 0) iterations = result.iterations;
      EXPECT_EQ(result.iterations, iterations);
      const std::vector<double> x = solved.x();
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-6);
    }
  }
}

TEST_F(HypreLevels, SingularMatricesAreRefusedUnlessConstantsAreLeftOut) {
  const SmallSystem<double> system = free_grid<double>(60, 50);
  Solved<double> solved = on_ranks(system);
  expect_refused([&] { Solved<double>::make("multigrid", solved.request()); },
                 {"constant vectors to 0", "no inverse"});
  PreconditionerRequest<double> request = solved.request();
  request.project_constant = true;
  const auto m = Solved<double>::make("multigrid", request);
  const SolveResult result = solved.solve("cg", *m, {.tolerance = 1e-10, .project_constant = true});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LT(result.iterations, 16);
}

/// Where the matrix is regular, the solver says that the option is wrong.
TEST_F(HypreLevels, ConstantsThatDoNotMapToZeroAreNotLeftOut) {
  const SmallSystem<double> system = grid<double>("grid", 60, 50, 1, false);
  Solved<double> solved = on_ranks(system);
  PreconditionerRequest<double> request = solved.request();
  request.project_constant = true;
  const auto m = Solved<double>::make("multigrid", request);
  expect_refused([&] { solved.solve("cg", *m, {.project_constant = true}); },
                 {"does not map constant vectors to 0"});
}

/// hypre refuses an option on one rank, while the others would wait for it in the set-up.
TEST_F(HypreLevels, OneRankThatFailsEndsAll) {
  const SmallSystem<double> system = grid<double>("grid", 60, 50, 1, false);
  Solved<double> solved = on_ranks(system);
  const bool fails = world().rank() == world().size() - 1;
  expect_refused([&] { hypre::make_levels(world(), solved.request().rows, {.strong = fails ? -1.0 : 0.25}); },
                 {"hypre failed to choose strong couplings"});
  EXPECT_FALSE(hypre::make_levels(world(), solved.request().rows, {}).empty()) << "after a failure";
}

}  // namespace
}  // namespace spmv::test
