#include <gtest/gtest.h>

#include "app/report/model.hpp"
#include "support/mpi_test.hpp"

namespace spmv::test {
namespace {

TEST(SlowestModel, IsTheSameOnEveryRank) {
  const Communicator& c = world();
  ModelInput input;
  input.rows = 100.0 * (c.rank() + 1);
  input.nonzeros = 10 * input.rows;
  input.sent = input.ghosts = c.rank() == 0 ? 25 : 5;
  const Bandwidth bandwidth{100, 10, 10};
  const Model mine = model(input, bandwidth);
  const Model worst = slowest(c, mine);
  EXPECT_DOUBLE_EQ(worst.t_mvm_best, c.max(mine.t_mvm_best));
  EXPECT_DOUBLE_EQ(worst.t_halo, 25 * 8 * 0.2);
}

// Ranks without rows have no balance of their own; for an empty matrix the model is zero.
TEST(SlowestModel, RanksWithoutRows) {
  const Communicator& c = world();
  const Bandwidth bandwidth{100, 10, 10};
  EXPECT_EQ(slowest(c, model(ModelInput{}, bandwidth)).t_mvm_best, 0);
  ModelInput input;
  if (c.rank() == c.size() - 1) input.rows = input.nonzeros = 8;
  EXPECT_EQ(slowest(c, model(input, bandwidth)).nonzeros_per_row, 1);
}

}  // namespace
}  // namespace spmv::test
