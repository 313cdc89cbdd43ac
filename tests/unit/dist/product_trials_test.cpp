// Which mode and layout are tried, and which are taken.
#include "dist/prepare/product_trials.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

std::string taken(const std::vector<ProductTrial>& trials) {
  const ProductTrial* const one = fastest(trials);
  return one == nullptr ? "none" : one->mode + " " + one->layout;
}

TEST(ProductTrials, TheFastestIsTaken) {
  EXPECT_EQ(taken({{"task", "split", 3}, {"task", "parted", 1}, {"task", "merged", 2}}), "task parted");
  EXPECT_EQ(taken({{"device", "parted", 3}, {"task", "parted", 2}, {"device", "merged", 1}}),
            "device merged");
  EXPECT_EQ(taken({{"task", "split", 1}, {"vector", "merged", 1}}), "task split")
      << "the first of equal ones";
  EXPECT_EQ(taken({{"task", "split", 0, "too large"}, {"task", "parted", 4}}), "task parted");
  EXPECT_EQ(taken({{"task", "split", 0, "too large"}}), "none");
}

TEST(ProductTrials, LayoutsOfAMode) {
  using Layouts = std::vector<std::string>;
  const Layouts several = {"split", "parted"};
  EXPECT_EQ(layouts_to_measure(several, auto_layout, true), several);
  EXPECT_EQ(layouts_to_measure(several, auto_layout, false), Layouts{"split"}) << "all layouts are the same";
  for (const bool halo : {true, false}) {
    EXPECT_EQ(layouts_to_measure(several, "parted", halo), Layouts{"parted"});
    EXPECT_EQ(layouts_to_measure(several, "split", halo), Layouts{"split"});
    for (const char* asked : {"auto", "split", "parted"})
      EXPECT_EQ(layouts_to_measure({"merged"}, asked, halo), Layouts{"merged"});
  }
}

}  // namespace
}  // namespace spmv::test
