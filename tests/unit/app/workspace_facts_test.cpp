// Which layout is taken, and what reports of commands that solve have in common.
#include "app/report/workspace_facts.hpp"

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

TEST(WorkspaceFacts, TheFastestLayoutIsTaken) {
  EXPECT_EQ(fastest({{"split", 3}, {"parted", 1}, {"merged", 2}}), "parted");
  EXPECT_EQ(fastest({{"split", 3}, {"parted", 2}, {"merged", 1}}), "merged");
  EXPECT_EQ(fastest({{"split", 1}, {"parted", 1}}), "split") << "the first of equal ones";
  EXPECT_EQ(fastest({{"split", 0, "too large"}, {"parted", 4}}), "parted") << "one that could not be built";
  EXPECT_EQ(fastest({{"split", 0, "too large"}}), "");
}

TEST(WorkspaceFacts, TrialsAreInTheJson) {
  WorkspaceFacts facts;
  facts.mode = "task";
  facts.layout_trials = {{"split", 3}, {"merged", 0, "too large"}};
  Json json;
  add_facts(json, facts);
  EXPECT_EQ(json["layout_trials"].dump(),
            R"([{"layout":"split","product_s":3.0},{"layout":"merged","left_out":"too large"}])");
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
