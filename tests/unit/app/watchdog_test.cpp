#include "app/launch/watchdog.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class WatchdogDeath : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(WatchdogDeath, SaysTheStepAndWhatItWaitsFor) {
  EXPECT_EXIT(
      {
        Watchdog watchdog(1, 3);
        watchdog.stage("measuring mode task");
        const Watchdog::Detail detail(watchdog, [] { return std::string("which waits for rank 1"); });
        sleep_s(600);
      },
      testing::ExitedWithCode(7),
      "spmv_dist: rank 3 made no progress for 1 s while measuring mode task, which waits for rank 1; raise "
      "--timeout");
}

TEST_F(WatchdogDeath, ForgetsWhatIsGone) {
  EXPECT_EXIT(
      {
        Watchdog watchdog(1, 0);
        {
          const Watchdog::Detail detail(watchdog, [] { return std::string("gone"); });
        }
        sleep_s(600);
      },
      testing::ExitedWithCode(7), "rank 0 made no progress for 1 s while starting; raise");
}

TEST(Watchdog, AStepThatIsLimitedElsewhereMayTakeLonger) {
  Watchdog watchdog(1, 0);
  watchdog.stage("trying transport nccl", {.beyond_timeout = 60});
  sleep_s(3);
}

TEST_F(WatchdogDeath, TheStepAfterALongOneMayNot) {
  EXPECT_EXIT(
      {
        Watchdog watchdog(1, 0);
        watchdog.stage("trying transport nccl", {.beyond_timeout = 60});
        watchdog.stage("building the matrix");
        sleep_s(600);
      },
      testing::ExitedWithCode(7), "no progress for 1 s while building the matrix");
}

TEST(Watchdog, StepsKeepItQuiet) {
  Watchdog watchdog(2, 0);
  for (int i = 0; i < 30; ++i) {
    sleep_s(0.1);
    watchdog.stage("working");
  }
}

TEST(Watchdog, SignsOfLifeWithinAStepKeepItQuiet) {
  Watchdog watchdog(2, 0);
  watchdog.stage("measuring mode task");
  for (int i = 0; i < 30; ++i) {
    sleep_s(0.1);
    watchdog.alive();
  }
}

TEST(Watchdog, NoTimeoutNoEnd) {
  Watchdog watchdog(0, 0);
  const Watchdog::Detail detail(watchdog, [] { return std::string(); });
  sleep_s(0.1);
}

}  // namespace
}  // namespace spmv::test
