// Levels that hypre makes.
#include <gtest/gtest.h>

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
