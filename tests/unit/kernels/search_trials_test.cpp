// Trials of options, and searches with wrong predictions or too little memory.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "support/search_truth.hpp"

namespace spmv::test {
namespace {

TEST(Search, TunesTheOptionsOfTheBestOneAfterTheOther) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 150 * us}, {"pjds", 250 * us}};
  truth.factor = [](const FormatOptions& o) {
    const double rows = o.threads_per_row == 2 ? 0.95 : o.threads_per_row == 1 ? 0.8 : 1;
    return rows * (o.threads_per_block == 128 ? 0.9 : o.threads_per_block == 64 ? 0.5 / rows : 1.0);
  };
  SearchRequest r = request(1e6, three(), truth);
  Found found = search(r);
  EXPECT_EQ(found.best.format, "sell_packed");
  EXPECT_EQ(found.best.options.threads_per_row, 1) << "4, 2, 1";
  EXPECT_EQ(found.best.options.threads_per_block, 64) << "256, 128, 64";
  EXPECT_NEAR(found.measured_s, 0.5 * 150 * us, 1e-9);
  truth.factor = [](const FormatOptions& o) { return o.threads_per_row == 1 ? 0.5 : 1.0; };
  EXPECT_EQ(search(r).best.options.threads_per_row, 0) << "2 is no better than 4, so 1 is not tried";
  truth.factor = [](const FormatOptions& o) { return o.threads_per_row > 0 ? 0.995 : 1.0; };
  EXPECT_EQ(search(r).best.options.threads_per_row, 0) << "the gain is within the noise";
}

// The predicted best is far slower, and the budget is spent: a candidate that is certainly better must still
// be built.
TEST(Search, ABudgetThatAWrongPredictionHasSpentKeepsNothingBetterOut) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 290 * us}, {"pjds", 150 * us}};
  truth.build_s = 0.013;
  std::vector<Candidate> candidates = {candidate("csr", 300 * us, 0.005),
                                       candidate("sell_packed", 100 * us, 0.005),
                                       candidate("pjds", 150 * us, 0.005)};
  Found found = search(request(1250, candidates, truth));
  EXPECT_EQ(found.best.format, "pjds");
  EXPECT_EQ(truth.tried, (std::vector<std::string>{"sell_packed", "pjds"}));
  candidates.back().predicted.seconds = 190 * us;  // its gain is no longer certain
  truth.tried.clear();
  truth.kept.reset();
  EXPECT_EQ(search(request(1250, candidates, truth)).best.format, "sell_packed");
  candidates.front().predicted.seconds = 250 * us;  // csr is the plain format
  truth.product_s["csr"] = 250 * us;
  truth.kept.reset();
  EXPECT_EQ(search(request(1250, candidates, truth)).best.format, "csr")
      << "the plain format needs no certain lead";
}

// If all formats are slower than predicted, for a common reason, each next one seems certainly better. After
// one failure beyond the budget the search must stop.
TEST(Search, BeyondTheBudgetOneDisappointmentIsEnough) {
  Truth truth;
  truth.build_s = 0.06;
  std::vector<Candidate> candidates = {candidate("csr", 100 * us, 0.01)};
  truth.product_s["csr"] = 300 * us;
  for (int i = 0; i < 7; ++i) {
    candidates.push_back(candidate("format" + std::to_string(i), (92 + i) * us, 0.05));
    truth.product_s[candidates.back().format] = (301 + i) * us;
  }
  const Found found = search(request(5000, candidates, truth));
  EXPECT_EQ(found.best.format, "csr");
  EXPECT_EQ(truth.tried, (std::vector<std::string>{"csr", "format0"}));
}

// Arrays that were freed to make room must be built again, so trials of their options are no longer cheap.
TEST(Search, ArraysThatMadeRoomHaveToBeBuiltAgain) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell", 100 * us}, {"jad", 120 * us}};
  truth.build_s = 0.02;
  SearchRequest r = request(
      5000,
      {candidate("csr", 300 * us, 0.02), candidate("sell", 95 * us, 0.02), candidate("jad", 100 * us, 0.02)},
      truth);
  const auto attempt = r.attempt;
  bool short_of_memory = false;
  r.attempt = [&](const Candidate& c, double batch_s, double keep_below_s) {
    Attempt result = attempt(c, batch_s, keep_below_s);
    result.made_room = short_of_memory && c.format == "jad";
    return result;
  };
  const auto options_tried = [&] {
    truth.kept.reset();
    const Found found = search(r);
    EXPECT_EQ(found.best.format, "sell");
    return found.trials.size() > r.candidates.size();
  };
  EXPECT_TRUE(options_tried());
  short_of_memory = true;
  EXPECT_FALSE(options_tried());
}

// Launch options can be tried without a build, so even few products are worth such trials.
TEST(Search, OptionsOfTheSameArraysAreTriedWithoutBuilding) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell", 100 * us}};
  truth.build_s = 0.02;
  truth.factor = [](const FormatOptions& o) {
    return (o.unroll == 8 ? 0.9 : 1) * (o.threads_per_block == 512 ? 0.9 : 1) *
           (o.chunk_rows == 64 ? 0.5 : 1);
  };
  SearchRequest r =
      request(4000, {candidate("csr", 300 * us, 0.02), candidate("sell", 100 * us, 0.02)}, truth);
  const Found found = search(r);
  EXPECT_EQ(found.best.format, "sell");
  EXPECT_EQ(found.best.options.unroll, 8);
  EXPECT_EQ(found.best.options.threads_per_block, 512);
  EXPECT_EQ(found.best.options.chunk_rows, 32) << "chunk_rows needs a build";
  r.products = 10'000;
  EXPECT_EQ(search(r).best.options.chunk_rows, 64);
}

TEST(Search, FixedOptionsStay) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 150 * us}, {"pjds", 250 * us}};
  truth.factor = [](const FormatOptions& o) { return o.threads_per_block == 128 ? 0.5 : 1.0; };
  SearchRequest r = request(1e6, three(), truth);
  r.fixed = {"threads_per_block"};
  const Found found = search(r);
  EXPECT_EQ(found.best.options.threads_per_block, 0) << "the fixed option must stay at its default";
  r.fixed.clear();
  EXPECT_EQ(search(r).best.options.threads_per_block, 128);
}

}  // namespace
}  // namespace spmv::test
