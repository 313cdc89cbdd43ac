#include "app/run/run_transports.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"

namespace spmv::test {
namespace {

/// A machine on which `chosen` is the fastest transport, and `broken` never works.
struct Machine {
  std::string chosen = "shm";
  std::string broken = "nccl";
  std::vector<std::string> used = {};  // names; "+child" if it would be tried in a child process

  RunTransports::UseTransport use() {
    return [this](const std::string& name, const TransportRequest& request) {
      used.push_back(name + (request.child_command.empty() ? "" : "+child"));
      if (name == broken) throw AgreedError(ExitCode::environment, "it is broken");
      TransportChoice choice;
      choice.name = name == auto_transport ? chosen : name;
      if (name != auto_transport) return choice;
      choice.reports.resize(2);
      choice.reports[0].name = chosen;
      choice.reports[1].name = "p2p";
      choice.reports[1].refused = "no peers";
      return choice;
    };
  }
};

TransportRequest request() {
  TransportRequest r;
  r.child_command = {"program", "--try-transport"};
  return r;
}

Measurement measurement(const std::string& mode, const std::string& transport, bool queued = false) {
  Measurement m;
  m.mode = mode;
  m.transport = transport;
  m.needs_queued_exchange = queued;
  m.may_be_left_out = true;
  return m;
}

using Names = std::vector<std::string>;

TEST(RunTransports, AutoMayChooseAnotherForTheNextLayout) {
  Machine machine;
  RunTransports transports(request());
  EXPECT_FALSE(transports.set_up(measurement("task", "auto"), machine.use()));
  EXPECT_EQ(transports.choice(false).name, "shm");
  EXPECT_EQ(transports.choice(false).reports.size(), 2u);
  machine.chosen = "staged";
  EXPECT_FALSE(transports.set_up(measurement("task", "auto"), machine.use()));
  EXPECT_EQ(machine.used, (Names{"auto+child", "auto+child"})) << "the request holds the trials";
  EXPECT_EQ(transports.choice(false).name, "staged");
  EXPECT_FALSE(transports.set_up(measurement("task", "p2p2"), machine.use()));
  EXPECT_EQ(transports.choice(false).name, "staged") << "a name does not change what auto has chosen";
  EXPECT_EQ(transports.choice(true).name, "");
}

TEST(RunTransports, QueuedExchangesAreChosenForThemselves) {
  Machine machine;
  RunTransports transports(request());
  EXPECT_FALSE(transports.set_up(measurement("task", "auto"), machine.use()));
  machine.chosen = "p2p";
  EXPECT_FALSE(transports.set_up(measurement("device", "auto", true), machine.use()));
  EXPECT_EQ(transports.choice(false).name, "shm");
  EXPECT_EQ(transports.choice(true).name, "p2p");
}

TEST(RunTransports, WhatATrialRefusedIsNotUsed) {
  Machine machine;
  RunTransports transports(request());
  EXPECT_FALSE(transports.set_up(measurement("vector", "auto"), machine.use()));
  const auto left = transports.set_up(measurement("vector", "p2p"), machine.use());
  ASSERT_TRUE(left);
  EXPECT_EQ(left->reason, "no peers");
  EXPECT_EQ(machine.used, Names{"auto+child"});
}

TEST(RunTransports, WhatServesNoModeIsTriedOnce) {
  Machine machine;
  RunTransports transports(request());
  const auto first = transports.set_up(measurement("vector", "nccl"), machine.use());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->mode, "") << "no mode";
  EXPECT_EQ(first->transport, "nccl");
  EXPECT_EQ(first->reason, "it is broken");
  const auto again = transports.set_up(measurement("device", "nccl", true), machine.use());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(machine.used.size(), 1u);
}

TEST(RunTransports, WhatCannotBeQueuedServesOtherModes) {
  Machine machine;
  RunTransports transports(request());
  const auto left = transports.set_up(measurement("device", "nccl", true), machine.use());
  ASSERT_TRUE(left);
  EXPECT_EQ(left->mode, "device");
  machine.broken = "";
  EXPECT_FALSE(transports.set_up(measurement("vector", "nccl"), machine.use()));
  EXPECT_TRUE(transports.set_up(measurement("device", "nccl", true), machine.use())) << "found out before";
}

TEST(RunTransports, WhatMustBeMeasuredEndsTheRun) {
  Machine machine;
  RunTransports transports(request());
  Measurement needed = measurement("vector", "nccl");
  needed.may_be_left_out = false;
  EXPECT_THROW(transports.set_up(needed, machine.use()), AgreedError);
}

TEST(RunTransports, NothingMeasuredNamesEveryReason) {
  const std::string text =
      why_nothing_was_measured({{"", "nccl", "it is broken"}, {"task", "", "no memory", "split"}});
  EXPECT_EQ(text, "none of the transports named works here; nccl: it is broken; layout split: no memory");
}

}  // namespace
}  // namespace spmv::test
