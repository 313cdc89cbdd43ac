#include "app/run/steadiness.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

using Marks = std::vector<std::string>;

/// Reproducible pseudo-random numbers from -1 to 1.
double noise(int i) {
  return 2 * (0.6180339887498949 * i - std::floor(0.6180339887498949 * i)) - 1;
}

/// `count` times near 1, at most `spread` away.
std::vector<double> around_one(int count, double spread) {
  std::vector<double> seconds;
  for (int i = 1; i <= count; ++i) seconds.push_back(1 + spread * noise(i));
  return seconds;
}

TEST(Steadiness, NothingIsSaidOfASteadySeries) {
  for (const double spread : {0.0, 0.001, 0.03}) {
    const Steadiness s = judge(around_one(100, spread), {});
    EXPECT_EQ(s.marks, Marks{}) << spread;
    EXPECT_EQ(s.reason, "");
  }
}

TEST(Steadiness, WhatHadNotSettled) {
  const Steadiness s = judge(around_one(20, 0.001), {.settled = false});
  EXPECT_EQ(s.marks, Marks{"unsettled"});
  EXPECT_EQ(
      s.reason,
      "The median was still moving when the measurement ended: look for clocks that change, or other users of memory and network.");
}

TEST(Steadiness, ASlowDriftIsUnsettled) {
  std::vector<double> seconds = around_one(40, 0.01);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += 0.002 * static_cast<double>(i);
  EXPECT_EQ(judge(seconds, {}).marks, Marks{"unsettled"});
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = 1 + 0.0001 * static_cast<double>(i);
  EXPECT_EQ(judge(seconds, {}).marks, Marks{}) << "the drift is too small to matter";
}

TEST(Steadiness, AWideIntervalIsNoisy) {
  const Steadiness s = judge(around_one(20, 0.3), {});
  EXPECT_EQ(s.marks, Marks{"noisy"});
  EXPECT_NE(s.reason.find("Its interval is "), std::string::npos) << s.reason;
  EXPECT_EQ(judge(around_one(1000, 0.3), {}).marks, Marks{}) << "with this many times the median is certain";
}

TEST(Steadiness, TimesOfTwoKinds) {
  std::vector<double> seconds = around_one(60, 0.01);
  for (std::size_t i = 0; i < seconds.size(); i += 3) seconds[i] += 0.5;
  EXPECT_EQ(judge(seconds, {}).marks, Marks{"bimodal"});
  seconds[1] = 50;  // an outlier, far from both groups
  EXPECT_EQ(judge(seconds, {}).marks, Marks{"bimodal"});
  std::vector<double> close = around_one(60, 0.001);
  for (std::size_t i = 0; i < close.size(); i += 3) close[i] += 0.03;
  EXPECT_EQ(judge(close, {}).marks, Marks{}) << "the groups are too close to matter";
  std::vector<double> rare = around_one(60, 0.01);
  rare[7] = rare[30] = 2;
  EXPECT_EQ(judge(rare, {}).marks, Marks{}) << "two of sixty are no group";
}

TEST(Steadiness, WhoHadTheCores) {
  const Steadiness other = judge(around_one(20, 0.001), {.waited_for_core = 0.42});
  EXPECT_EQ(other.marks, Marks{"disturbed"});
  EXPECT_EQ(other.reason, "A thread had no core for 42 % of the time: another process has the cores.");
  const Steadiness own = judge(around_one(20, 0.001), {.waited_for_core = 0.42, .crowded = true});
  EXPECT_EQ(own.cause, "too many threads");
  EXPECT_EQ(own.reason, "A thread had no core for 42 % of the time: this run has more threads than cores.");
  EXPECT_EQ(judge(around_one(20, 0.001), {.waited_for_core = 0.09, .crowded = true}).marks, Marks{});
  const Steadiness hosts =
      judge(around_one(20, 0.001), {.waited_for_core = 0.42, .cores_of_several_hosts = true});
  EXPECT_EQ(hosts.cause, "hosts that share cores");
  EXPECT_EQ(hosts.reason,
            "A thread had no core for 42 % of the time: hosts that are one machine use the same cores.");
  EXPECT_EQ(judge(around_one(20, 0.3), {.cores_of_several_hosts = true}).cause, "clocks, memory or network")
      << "no thread has waited";
}

TEST(Steadiness, SeveralMarksAndNothingMeasured) {
  EXPECT_EQ(judge(around_one(20, 0.3), {.settled = false, .waited_for_core = 1}).marks,
            (Marks{"unsettled", "noisy", "disturbed"}));
  EXPECT_EQ(judge({}, {}).marks, Marks{});
  EXPECT_EQ(judge({0, 0, 0}, {}).marks, Marks{}) << "a product of nothing";
}

}  // namespace
}  // namespace spmv::test
