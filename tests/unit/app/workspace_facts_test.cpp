// Which mode and layout are taken, and what reports of commands that solve have in common.
#include "app/report/workspace_facts.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

std::string taken(const std::vector<LayoutTrial>& trials) {
  const LayoutTrial* const one = fastest(trials);
  return one == nullptr ? "none" : one->mode + " " + one->layout;
}

TEST(WorkspaceFacts, TheFastestIsTaken) {
  EXPECT_EQ(taken({{"task", "split", 3}, {"task", "parted", 1}, {"task", "merged", 2}}), "task parted");
  EXPECT_EQ(taken({{"device", "parted", 3}, {"task", "parted", 2}, {"device", "merged", 1}}),
            "device merged");
  EXPECT_EQ(taken({{"task", "split", 1}, {"vector", "merged", 1}}), "task split")
      << "the first of equal ones";
  EXPECT_EQ(taken({{"task", "split", 0, "too large"}, {"task", "parted", 4}}), "task parted");
  EXPECT_EQ(taken({{"task", "split", 0, "too large"}}), "none");
}

TEST(WorkspaceFacts, TrialsAreInTheJson) {
  WorkspaceFacts facts;
  facts.mode = "task";
  facts.layout_trials = {{"task", "split", 3}, {"task", "merged", 0, "too large"}};
  Json json;
  add_facts(json, facts);
  EXPECT_EQ(json["layout_trials"].dump(), R"([{"mode":"task","layout":"split","product_s":3.0},)"
                                          R"({"mode":"task","layout":"merged","left_out":"too large"}])");
  facts.refused = "why";
  Json refused;
  add_facts(refused, facts);
  EXPECT_EQ(refused.dump(), R"({"mode":"task","transport":"","refused":"why"})");
}

TEST(WorkspaceFacts, WhatWasNotMeasuredIsADash) {
  EXPECT_EQ(us_or_dash(1.5e-6, true), "1.50");
  EXPECT_EQ(us_or_dash(-1.5e-6, true), "-");
  EXPECT_EQ(us_or_dash(1.5e-6, false), "-");
}

}  // namespace
}  // namespace spmv::test
