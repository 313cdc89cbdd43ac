// Predicted product times on a described machine, against hand-computed ones.
#include "dist/machine/product_time.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

// All rows and nonzeros take 10.1 us; rows that refer to the halo take 0.21 us of that, and their nonlocal
// nonzeros 0.1 us. Updating these rows of y takes another 0.01 us.
PartShare cut_rows() {
  PartShare share{.rows = 100, .nonzeros = 1000, .columns = 200, .halo = 80, .neighbours = 1};
  share.near_halo = 80;
  share.near_neighbours = 1;
  share.sampled_rows = 50;
  share.sampled_nonzeros = 500;
  share.boundary_rows = 5;
  share.boundary_nonzeros = 10;
  share.nonlocal_nonzeros = 5;
  return share;
}

constexpr ProductBytes bytes{.nonzero = 10, .row = 1, .element = 8};

TEST(MachineModel, EveryModeHasItsBestLayout) {
  Machine machine;
  machine.ranks_per_node = 2;
  machine.memory = 1e9;
  machine.product_s = 1e-6;
  machine.thread_s = 2e-6;
  machine.far_exchange = 1e15;
  machine.near_exchange = 64e6;  // 10 us, as long as the interior
  const std::vector<PartShare> shares{cut_rows()};
  ModeTimes times = predict_modes(shares, bytes, machine);
  EXPECT_NEAR(times.vector, 1e-6 + 10e-6 + 10.1e-6, 1e-12);
  EXPECT_NEAR(times.naive, 1e-6 + 10e-6 + 10.1e-6 + 0.01e-6, 1e-12);
  EXPECT_NEAR(times.task, 1e-6 + 2e-6 + 10e-6 + 0.11e-6, 1e-12) << "split";
  EXPECT_NEAR(times.device, 1e-6 + 10e-6 + 0.21e-6, 1e-12) << "parted";
  machine.near_exchange = 1e15;  // no time at all
  times = predict_modes(shares, bytes, machine);
  EXPECT_NEAR(times.task, 1e-6 + 10.1e-6, 1e-12) << "merged: no thread is needed";
  EXPECT_NEAR(times.device, 1e-6 + 10.1e-6, 1e-12);
}

TEST(MachineModel, WithoutASampleTheHalosShareOfTheColumnsIsTaken) {
  const BoundaryShare share = boundary_of({.rows = 100, .nonzeros = 400, .columns = 200, .halo = 20});
  EXPECT_DOUBLE_EQ(share.nonlocal, 40);
  EXPECT_DOUBLE_EQ(share.rows, 40);
  EXPECT_DOUBLE_EQ(share.nonzeros, 160);
  EXPECT_DOUBLE_EQ(boundary_of({}).rows, 0);
}

}  // namespace
}  // namespace spmv::test
