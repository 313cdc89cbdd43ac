#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/compare/comparison.hpp"
#include "core/error.hpp"

namespace spmv::test {
namespace {

/// Times with noise of some per cent, and a few far above.
std::vector<double> noisy(double typical, unsigned seed, int count = 40) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> times;
  for (int i = 0; i < count; ++i)
    times.push_back(typical * std::exp(0.03 * normal(random)) * (uniform(random) < 0.05 ? 2 : 1));
  return times;
}

nlohmann::json run_with(const std::vector<double>& samples) {
  return {{"environment",
           {{"ranks", 2},
            {"driver", "1"},
            {"gpus", {{{"name", "G"}, {"clock_mhz", 5}}, {{"name", "G"}, {"clock_mhz", 5}}}}}},
          {"matrix", {{"name", "m"}, {"rows", 1}, {"nonzeros", 1}, {"value", "double"}}},
          {"partition", {{"partitioner", "rows"}}},
          {"format", {{"interior", "csr"}}},
          {"modes", {{{"mode", "vector"}, {"transport", "staged"}, {"samples_s", samples}}}}};
}

Comparison compared(const nlohmann::json& a, const nlohmann::json& b, double min_ratio = 0) {
  return compare(parse_results(a.dump(), "a"), parse_results(b.dump(), "b"), min_ratio);
}

TEST(Compare, TheIntervalCoversTheTrueRatio) {
  int covered = 0;
  constexpr int tries = 200;
  for (unsigned i = 0; i < tries; ++i) {
    const MedianRatio found = median_ratio(noisy(1, 2 * i), noisy(1.25, 2 * i + 1));
    EXPECT_LE(found.low, found.ratio);
    EXPECT_LE(found.ratio, found.high);
    covered += found.low <= 0.8 && 0.8 <= found.high;
  }
  EXPECT_GE(covered, 180) << "of 200, at 95 %";
  EXPECT_LE(covered, 199);
}

TEST(Compare, FewTimesHaveAWideInterval) {
  const MedianRatio few = median_ratio({1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(few.ratio, 4);
  EXPECT_LE(few.low, 2);
  EXPECT_GE(few.high, 5);
  const MedianRatio exact = median_ratio(std::vector<double>(9, 3.0), std::vector<double>(6, 2.0));
  EXPECT_EQ(exact.low, 1.5);
  EXPECT_EQ(exact.high, 1.5);
}

TEST(Compare, SaysWhereTheMachineItselfDifferedByAsMuch) {
  nlohmann::json a = run_with(noisy(1, 1)), b = run_with(noisy(1.06, 2));
  EXPECT_TRUE(compared(a, b).series[0].doubts.empty()) << "nothing is known of the machine";
  b["bandwidth"]["spread"] = 0.02;
  EXPECT_TRUE(compared(a, b).series[0].doubts.empty()) << "it differed by less";
  b["bandwidth"]["spread"] = 0.11;
  const Comparison found = compared(a, b);
  ASSERT_EQ(found.series[0].doubts.size(), 1u);
  EXPECT_NE(to_text(found).find(
                "vector in A and B: the difference may be the machine's, whose own copies varied by "
                "0 % in A and 11 % in B"),
            std::string::npos)
      << to_text(found);
  EXPECT_TRUE(compared(a, b, 0.99).series[0].fails(0.99)) << "the gate goes by the times";
  nlohmann::json same = run_with(noisy(1, 3));
  same["bandwidth"]["spread"] = 0.11;
  EXPECT_TRUE(compared(a, same).series[0].doubts.empty()) << "there is no difference";
}

TEST(Compare, TheGateIsBelowAndNotByChance) {
  ComparedSeries s;
  s.speed = {.ratio = 0.9, .low = 0.85, .high = 0.93};
  EXPECT_TRUE(s.fails(0.95));
  EXPECT_FALSE(s.fails(0.9));
  EXPECT_FALSE(s.fails(0));
  s.speed = {.ratio = 0.9, .low = 0.8, .high = 1.02};  // may be as fast
  EXPECT_FALSE(s.fails(0.95));
  EXPECT_TRUE(s.is_below(0.95));
  s.speed = {.ratio = 0.9, .low = 0.85, .high = 0.97};  // slower for sure
  EXPECT_TRUE(s.fails(0.95));
  s.speed = {.ratio = 1.1, .low = 1.05, .high = 1.15};  // faster, and not fast enough
  EXPECT_TRUE(s.fails(1.2));
  EXPECT_FALSE(s.fails(1.12) && s.speed.high < 1.12);
}

TEST(Compare, WhatDiffersIsTold) {
  const std::vector<double> samples(6, 1.0);
  nlohmann::json a = run_with(samples), b = a;
  EXPECT_TRUE(compared(a, b).differences.empty());
  b["environment"]["gpus"][1]["clock_mhz"] = 4;
  b["environment"]["date"] = "later";
  b["environment"]["commit"] = "abc";
  const Comparison found = compared(a, b);
  ASSERT_EQ(found.differences.size(), 2U);
  EXPECT_EQ(found.differences[0].name, "environment.commit");
  EXPECT_EQ(found.differences[0].before, "");
  EXPECT_EQ(found.differences[1].name, "environment.gpus");
  EXPECT_NE(found.differences[1].before.find("(2 x)"), std::string::npos);
}

TEST(Compare, AutoIsAutoWhateverItTook) {
  nlohmann::json a = run_with(std::vector<double>(6, 1.0)), b = a;
  a["modes"][0]["transport_chosen"] = b["modes"][0]["transport_chosen"] = true;
  b["modes"][0]["transport"] = "shm";
  a["tuning"]["automatic"] = b["tuning"]["automatic"] = true;
  b["format"]["interior"] = "sell";
  const Comparison found = compared(a, b);
  ASSERT_EQ(found.series.size(), 1U);
  EXPECT_EQ(found.series[0].subject.transport, "auto");
  EXPECT_EQ(found.series[0].chosen_before, "staged, csr");
  EXPECT_EQ(found.series[0].chosen_after, "shm, sell");
}

TEST(Compare, SeveralFormatsAreMatchedByName) {
  const std::vector<double> samples(6, 1.0);
  nlohmann::json point = {{"matrix", "m"},
                          {"ranks", 2},
                          {"format", "csr"},
                          {"mode", "vector"},
                          {"measured", {{"mode", "vector"}, {"samples_s", samples}}}};
  std::string a = point.dump() + "\n";
  point["format"] = "sell";
  const std::string b = point.dump() + "\n";
  const auto only = [](const std::string& one, const std::string& other) {
    return compare(parse_results(one, "a"), parse_results(other, "b"), 0);
  };
  EXPECT_EQ(only(a, b).series.size(), 1U) << "one each: they are what is compared";
  const Comparison both = only(a + b, b);
  EXPECT_EQ(both.series.size(), 1U);
  EXPECT_EQ(both.only_before.size(), 1U);
  EXPECT_TRUE(both.differences.empty());
}

}  // namespace
}  // namespace spmv::test
