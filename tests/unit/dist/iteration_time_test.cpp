// Predicted times of iterations, against hand-computed ones.
#include "dist/machine/iteration_time.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

Machine two_a_node() {
  Machine machine;
  machine.ranks_per_node = 2;
  machine.memory = 1e9;
  machine.near_message_s = 3e-6;
  machine.far_message_s = 10e-6;
  machine.product_s = 1e-6;
  return machine;
}

TEST(IterationModel, SumsTakeARoundOnEachNodeAndThenRoundsBetweenNodes) {
  Machine machine = two_a_node();
  EXPECT_EQ(predict_sum(1, machine), 0);
  EXPECT_DOUBLE_EQ(predict_sum(2, machine), 3e-6);
  EXPECT_DOUBLE_EQ(predict_sum(3, machine), 14e-6);
  EXPECT_DOUBLE_EQ(predict_sum(4, machine), 14e-6);
  EXPECT_DOUBLE_EQ(predict_sum(6, machine), 24e-6) << "three nodes: two messages";
  EXPECT_DOUBLE_EQ(predict_sum(16, machine), 45e-6) << "8 nodes: two rounds of two messages";
  EXPECT_DOUBLE_EQ(predict_sum(32, machine), 65e-6) << "16 nodes: two rounds of three messages";
  machine.ranks_per_node = 1;
  EXPECT_EQ(predict_sum(1, machine), 0);
  EXPECT_DOUBLE_EQ(predict_sum(4, machine), 31e-6);
}

TEST(IterationModel, TheRankWithMostRowsCounts) {
  const std::vector<PartShare> shares{{.rows = 100}, {.rows = 400}};
  const IterationTimes times = predict_iteration(shares, {2, 3, false, 5}, 7e-6, 8, two_a_node());
  EXPECT_DOUBLE_EQ(times.products, 14e-6);
  EXPECT_DOUBLE_EQ(times.vectors, 16e-6 + 3e-6);
  EXPECT_DOUBLE_EQ(times.sums, 9e-6);
  EXPECT_DOUBLE_EQ(times.all(), 42e-6);
}

TEST(IterationModel, ProductsHideSumsBetweenNodes) {
  const std::vector<PartShare> one_node{{.rows = 100}, {.rows = 400}}, two_nodes(4, {.rows = 100});
  EXPECT_DOUBLE_EQ(predict_iteration(one_node, {1, 1, true, 5}, 7e-6, 8, two_a_node()).sums, 3e-6);
  EXPECT_EQ(predict_iteration(two_nodes, {1, 1, true, 5}, 17e-6, 8, two_a_node()).sums, 0);
  EXPECT_DOUBLE_EQ(predict_iteration(two_nodes, {1, 1, true, 5}, 7e-6, 8, two_a_node()).sums, 14e-6 - 7e-6);
}

}  // namespace
}  // namespace spmv::test
