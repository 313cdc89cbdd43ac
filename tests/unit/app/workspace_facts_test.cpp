// What reports of commands that solve have in common.
#include "app/report/workspace_facts.hpp"

#include <gtest/gtest.h>

#include "app/report/time_unit.hpp"

namespace spmv::test {
namespace {

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
  EXPECT_EQ(refused.dump(), R"({"mode":"task","transport":"","transport_chosen":false,"refused":"why"})");
}

TEST(WorkspaceFacts, EachModeOverEachTransportSaysOnceHowItMultiplies) {
  WorkspaceFacts device;
  device.mode = "device";
  device.transport = "p2p";
  device.sums_transport = "shm";
  device.layout = "parted";
  device.format = "pjds";
  WorkspaceFacts task = device, refused = device;
  task.mode = "task";
  task.sums_transport.clear();
  task.layout_trials = {{"task", "split", 1}, {"task", "merged", 2}};
  refused.mode = "naive";
  refused.refused = "why";
  const std::vector<WorkspaceFacts> all = {device, task, device, refused};
  EXPECT_EQ(end_lines(RunHead{}, all),
            "\ndevice  p2p         format pjds, layout parted, sums over shm\n"
            "task    p2p         format pjds, layout parted; the fastest of 2 layouts that\n"
            "                    were tried\n");
  task.layout_trials[1].left_out = "too large";
  task.normalised = "scaled";
  EXPECT_EQ(end_lines(RunHead{}, std::vector<WorkspaceFacts>{task}),
            "\ntask    p2p         format pjds, layout parted, scaled\n");
  task.normalised.clear();
  EXPECT_EQ(end_lines(RunHead{}, std::vector<WorkspaceFacts>{task}),
            "\ntask    p2p         format pjds, layout parted\n");
  task.layout_trials[1] = {"vector", "merged", 2};
  RunHead ended;
  ended.incomplete = "it ended";
  EXPECT_EQ(end_lines(ended, std::vector<WorkspaceFacts>{task}),
            "\ntask    p2p         format pjds, layout parted; the fastest of 2 modes and\n"
            "                    layouts that were tried\nINCOMPLETE: it ended.\n");
}

TEST(WorkspaceFacts, OfSeveralTransportsTheChosenOneHasAStar) {
  WorkspaceFacts chosen;
  chosen.mode = "task";
  chosen.transport = "p2p";
  chosen.transport_chosen = true;
  EXPECT_EQ(columns_of(chosen), "task    p2p        ");
  chosen.several_transports = true;
  EXPECT_EQ(columns_of(chosen), "task    *p2p       ");
  EXPECT_NE(
      end_lines(RunHead{}, std::vector<WorkspaceFacts>{chosen}).find("\n* chosen by --transport auto\n"),
      std::string::npos);
}

TEST(WorkspaceFacts, WhatWasNotMeasuredIsADash) {
  const TimeUnit us(1e-4);
  EXPECT_EQ(us.or_dash(1.5e-6), "1.500");
  EXPECT_EQ(us.or_dash(-1.5e-6), "-");
  EXPECT_EQ(us.or_dash(1.5e-6, false), "-");
  WorkspaceFacts facts;
  facts.mode = "vector";
  facts.transport = "mpi";
  WorkspaceFacts refused = facts;
  refused.refused = "why";
  EXPECT_EQ(
      step_table({{facts, {3e-3, 2e-3, -1e-3, 0}}, {facts, {1e-3, 0, 0, 0}}, {facts, {}}, {refused, {}}}),
      "\nmode    transport   us / step   product   vectors      sums\n"
      "vector  mpi              3000      2000         -     0.000\n"
      "vector  mpi              1000         -         -         -\n"
      "vector  mpi                 -         -         -         -\n");
}

}  // namespace
}  // namespace spmv::test
