#include "app/launch/stage_log.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

std::vector<std::string> names(const StageLog& log) {
  std::vector<std::string> all;
  for (const StageRecord& stage : log.stages()) all.push_back(stage.name);
  return all;
}

using Names = std::vector<std::string>;

TEST(StageLog, AStageThatGoesOnIsOneRecord) {
  StageLog log;
  EXPECT_EQ(names(log), Names{});
  for (const char* name : {"reading", "reading", "measuring"}) log.begin(name);
  EXPECT_EQ(names(log), (Names{"reading", "measuring"}));
}

TEST(StageLog, StagesThatTakeTurnsHaveOneRecordEach) {
  StageLog log;
  for (int round = 0; round < 3; ++round)
    for (const char* name : {"mode a", "mode b"}) {
      log.begin(name);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  log.begin("writing");
  const std::vector<StageRecord> stages = log.stages();
  EXPECT_EQ(names(log), (Names{"mode a", "mode b", "writing"}));
  EXPECT_GE(stages[0].seconds, 0.05) << "the sum of its turns";
  EXPECT_GE(stages[1].seconds, 0.05);
  EXPECT_LT(stages[0].begin_s, stages[1].begin_s) << "its first turn";
  EXPECT_GE(stages[2].begin_s - stages[0].begin_s, stages[0].seconds + stages[1].seconds - 1e-6)
      << "time must not count for two stages";
}

}  // namespace
}  // namespace spmv::test
