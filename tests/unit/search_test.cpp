#include "kernels/tune/search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/pick.hpp"

namespace spmv::test {
namespace {

constexpr double us = 1e-6;

/// A candidate that is predicted to take `product` seconds and `build` to build.
Candidate candidate(const std::string& format, double product, double build) {
  Candidate c;
  c.format = format;
  c.cost.bytes = c.cost.moved_bytes = 1e6;
  c.predicted = {product, product / 2, build};
  return c;
}

/// What formats really take, and which of them were tried.
struct Truth {
  std::map<std::string, double> product_s;
  std::map<std::string, std::string> refused;
  std::vector<std::string> tried;
  std::optional<Candidate> kept;
  double build_s = 0;
  std::function<double(const FormatOptions&)> factor = [](const FormatOptions&) { return 1.0; };
};

SearchRequest request(double products, std::vector<Candidate> candidates, Truth& truth) {
  SearchRequest r;
  r.products = products;
  r.free_bytes = 1e9;
  r.candidates = std::move(candidates);
  r.attempt = [&truth](const Candidate& c, double batch_s, double keep_below_s) {
    truth.tried.push_back(c.format);
    Attempt attempt;
    if (truth.refused.contains(c.format)) {
      attempt.refused = truth.refused[c.format];
      return attempt;
    }
    attempt.measured_s = truth.product_s.at(c.format) * truth.factor(c.options);
    const bool there = truth.kept && truth.kept->format == c.format &&
                       need_the_same_arrays(c.format, truth.kept->options, c.options);
    attempt.build_s = there ? 0 : truth.build_s;
    attempt.spent_s = attempt.build_s + timed_batches * batch_s;
    attempt.launched = c.options;
    if (c.options.threads_per_row == 0) attempt.launched.threads_per_row = 4;
    if (c.options.threads_per_block == 0) attempt.launched.threads_per_block = 256;
    if (c.options.unroll == 0) attempt.launched.unroll = 4;
    if (attempt.measured_s < keep_below_s) truth.kept = c;
    return attempt;
  };
  return r;
}

std::vector<Candidate> three() {
  return {candidate("csr", 300 * us, 0.1), candidate("sell_packed", 150 * us, 0.2),
          candidate("pjds", 250 * us, 0.3)};
}

TEST(Search, OneProductIsForCsrWithoutTrials) {
  Truth truth;
  const Found found = search(request(1, three(), truth));
  EXPECT_EQ(found.best.format, "csr");
  EXPECT_TRUE(truth.tried.empty());
  EXPECT_EQ(found.budget_s, 0);
  EXPECT_EQ(found.trials.size(), 3u);
  EXPECT_NE(found.reason.find("1 product pays for no other format"), std::string::npos) << found.reason;
}

TEST(Search, FewProductsPayForNoConversion) {
  Truth truth;
  EXPECT_EQ(search(request(100, three(), truth)).best.format, "csr");
  EXPECT_TRUE(truth.tried.empty());
}

TEST(Search, WhatIsPlainNeedsNoDoubtAndWhatIsCachedMoreOfIt) {
  // Too few products for a trial: 250 us are 1.2 times as fast as csr, 150 us twice as fast.
  const auto chosen = [](std::size_t plain, bool in_cache) {
    Truth truth;
    SearchRequest r = request(2100, three(), truth);
    r.trials = false;
    r.plain = plain;
    r.in_cache = in_cache;
    return search(r).best.format;
  };
  EXPECT_EQ(chosen(0, false), "sell_packed");
  EXPECT_EQ(chosen(0, true), "csr");
  EXPECT_EQ(chosen(1, true), "sell_packed") << "what would be taken without looking";
  EXPECT_EQ(chosen(2, false), "sell_packed") << "whatever is plain";
  EXPECT_EQ(chosen(2, true), "pjds") << "csr is doubted, too, where something else is plain";
}

TEST(Search, CalibratedPredictionsNeedASmallLead) {
  const auto takes_what_is_faster = [](double lead, bool calibrated, bool on_host) {
    Truth truth;
    std::vector<Candidate> candidates = three();
    candidates.erase(candidates.begin() + 1);
    candidates[1].predicted.seconds = candidates[0].predicted.seconds / lead;
    candidates[1].predicted.build_s = candidates[0].predicted.build_s;
    SearchRequest r = request(2100, candidates, truth);
    r.trials = false;
    for (Candidate& c : r.candidates) c.predicted.calibrated = calibrated;
    r.runs_host_code = on_host;
    return search(r).best.format != "csr";
  };
  for (const bool on_host : {false, true}) {
    EXPECT_FALSE(takes_what_is_faster(1.05, true, on_host));
    EXPECT_TRUE(takes_what_is_faster(1.15, true, on_host));
    EXPECT_FALSE(takes_what_is_faster(1.4, false, on_host));
  }
}

TEST(Search, AFormatThatIsNotCalibratedNeedsTheUsualLead) {
  const auto takes_what_is_faster = [](double lead, bool calibrated) {
    Truth truth;
    std::vector<Candidate> candidates = {candidate("csr", 300 * us, 0.1),
                                         candidate("biell", 300 * us / lead, 0.1)};
    candidates.front().predicted.calibrated = true;
    candidates.back().predicted.calibrated = calibrated;
    SearchRequest r = request(2100, candidates, truth);
    r.trials = false;
    return search(r).best.format != "csr";
  };
  EXPECT_TRUE(takes_what_is_faster(1.4, true));
  EXPECT_FALSE(takes_what_is_faster(1.4, false));
  EXPECT_TRUE(takes_what_is_faster(1.6, false));
}

TEST(Search, AHostMeasuresWhatItTakesForFewerProducts) {
  const auto found = [](bool on_host, double batch_least) {
    Truth truth;
    truth.product_s = {{"csr", 300 * us}, {"sell", 400 * us}};
    truth.build_s = 1e-3;
    SearchRequest r =
        request(1000, {candidate("csr", 300 * us, 1e-3), candidate("sell", 150 * us, 1e-3)}, truth);
    r.runs_host_code = on_host;
    const auto attempt = r.attempt;
    r.attempt = [=](const Candidate& c, double batch_s, double keep_below_s) {
      EXPECT_GE(batch_s, batch_least);
      return attempt(c, batch_s, keep_below_s);
    };
    return std::pair(search(r).best.format, truth.tried);
  };
  EXPECT_EQ(found(true, 2e-5).first, "csr") << "sell is slower than predicted";
  EXPECT_EQ(found(true, 2e-5).second, (std::vector<std::string>{"sell", "csr"}));
  EXPECT_EQ(found(false, 2e-4).first, "sell");
  EXPECT_TRUE(found(false, 2e-4).second.empty());
}

// The budget lasts for one build: of what is predicted to be next to the best, whose own build does not count.
TEST(Search, CsrIsTriedInItsTurn) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 290 * us}, {"pjds", 200 * us}};
  truth.build_s = 0.05;
  const std::vector<Candidate> candidates = {candidate("csr", 300 * us, 0.05),
                                             candidate("sell_packed", 150 * us, 0.05),
                                             candidate("pjds", 200 * us, 0.05)};
  const double products = 0.0625 / (tuning_share * 300 * us);
  EXPECT_EQ(search(request(products, candidates, truth)).best.format, "pjds");
  EXPECT_EQ(truth.tried, (std::vector<std::string>{"sell_packed", "pjds"}));
  // On a host it takes hardly a build, and is tried before the budget is spent.
  truth.tried.clear();
  SearchRequest on_host = request(products, candidates, truth);
  on_host.runs_host_code = true;
  search(on_host);
  ASSERT_GE(truth.tried.size(), 2u);
  EXPECT_EQ(truth.tried[0], "sell_packed");
  EXPECT_EQ(truth.tried[1], "csr");
}

TEST(Search, SaysFromHowManyProductsOnAnotherFormatWouldPay) {
  Truth truth;
  const auto reason = [&](double products) { return search(request(products, three(), truth)).reason; };
  // 0.1 s more to build than csr, 150 us less for every product.
  EXPECT_NE(reason(1).find("from 670 products on, sell_packed would pay"), std::string::npos) << reason(1);
  EXPECT_NE(reason(100).find("sell_packed would pay"), std::string::npos) << reason(100);
  // For so many products sell_packed is predicted to pay, but not beyond doubt.
  EXPECT_NE(reason(1000).find("from 4000 products on, pjds would pay"), std::string::npos) << reason(1000);
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 100 * us}, {"pjds", 140 * us}};
  EXPECT_EQ(reason(1e6).find("would pay"), std::string::npos) << reason(1e6);
}

TEST(Search, SaysWhatPredictionsGoBy) {
  Truth truth;
  SearchRequest r = request(1, three(), truth);
  EXPECT_NE(search(r).reason.find("built-in paces"), std::string::npos) << search(r).reason;
  for (Candidate& c : r.candidates) c.predicted.calibrated = true;
  EXPECT_NE(search(r).reason.find("calibrated on this machine"), std::string::npos) << search(r).reason;
}

TEST(Search, ManyProductsFindTheFastestWhateverWasPredicted) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 280 * us}, {"pjds", 140 * us}};
  const Found found = search(request(1e6, three(), truth));
  EXPECT_EQ(found.best.format, "pjds");
  EXPECT_DOUBLE_EQ(found.measured_s, 140 * us);
  EXPECT_NE(found.reason.find("pjds: 140 us measured, csr 300 us predicted"), std::string::npos)
      << found.reason;
}

TEST(Search, NothingIsTriedThatBytesAloneMakeSlower) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 100 * us}};
  const Found found = search(request(1e6, three(), truth));
  EXPECT_EQ(found.best.format, "sell_packed");
  for (const FormatTrial& trial : found.trials) {
    if (trial.format != "pjds") continue;
    EXPECT_EQ(trial.measured_s, 0);
    EXPECT_EQ(trial.reason, "cannot need less than 125 us");
  }
}

TEST(Search, TheBudgetIsKept) {
  for (const double products : {1e3, 1e4, 3e4, 1e5, 1e6}) {
    Truth truth;
    std::vector<Candidate> many = {candidate("csr", 300 * us, 0.3)};
    truth.product_s["csr"] = 300 * us;
    for (int i = 0; i < 40; ++i) {
      many.push_back(candidate("format" + std::to_string(i), 200 * us, 0.3));
      truth.product_s[many.back().format] = (290 - i) * us;
    }
    truth.build_s = 0.3;
    const Found found = search(request(products, many, truth));
    EXPECT_DOUBLE_EQ(found.budget_s, tuning_share * products * 300 * us);
    EXPECT_LE(found.spent_s - truth.build_s, found.budget_s) << "something has to be built; " << products;
  }
}

TEST(Search, BuildsThatTakeLongerThanPredictedCountAtTheNext) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 290 * us}, {"pjds", 290 * us}};
  truth.build_s = 2;  // ten times as long as sell_packed was predicted to take
  const Found found = search(request(1e5, three(), truth));
  EXPECT_EQ(found.best.format, "sell_packed");
  EXPECT_EQ(truth.tried, std::vector<std::string>(truth.tried.size(), "sell_packed"))
      << "options, without a build";
  EXPECT_LE(found.spent_s, found.budget_s + truth.build_s);
}

// Sooner or later measuring takes as long as products do, not as they were predicted to: that much of the budget is spent.
TEST(Search, MeasuringCountsAsLongAsItTook) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 290 * us}, {"pjds", 280 * us}};
  truth.build_s = 0.0027;
  SearchRequest r = request(1e-3 * 6 / (tuning_share * 300 * us),
                            {candidate("csr", 300 * us, 0.02), candidate("sell_packed", 100 * us, 0.0027),
                             candidate("pjds", 200 * us, 0.0027)},
                            truth);
  r.attempt = [&, attempt = r.attempt](const Candidate& c, double batch_s, double keep_below_s) {
    Attempt result = attempt(c, batch_s, keep_below_s);
    result.spent_s = result.build_s + warm_up_products * result.measured_s +
                     timed_batches * std::max(batch_s, result.measured_s);
    return result;
  };
  EXPECT_EQ(search(r).best.format, "sell_packed");
  EXPECT_EQ(std::count(truth.tried.begin(), truth.tried.end(), "pjds"), 0) << "3.7 ms are left, it takes 4.3";
}

TEST(Search, CsrThatIsRefusedIsNotTriedAgain) {
  Truth truth;
  truth.product_s = {{"pjds", 310 * us}};
  truth.refused["csr"] = "no room";
  SearchRequest r = request(1e5, {candidate("csr", 300 * us, 0.1), candidate("pjds", 310 * us, 0.1)}, truth);
  EXPECT_EQ(search(r).best.format, "pjds");
  EXPECT_EQ(std::count(truth.tried.begin(), truth.tried.end(), "csr"), 1);
}

TEST(Search, WhatDoesNotFitOrRefusesIsNeverChosen) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"pjds", 250 * us}};
  truth.refused["sell_packed"] = "no room";
  Found found = search(request(1e6, three(), truth));
  EXPECT_EQ(found.best.format, "pjds");
  EXPECT_EQ(found.trials[1].reason, "no room");

  std::vector<Candidate> large = three();
  large[1].cost.bytes = large[2].cost.bytes = 2e9;
  truth.tried.clear();
  found = search(request(1e6, large, truth));
  EXPECT_EQ(found.best.format, "csr");
  EXPECT_NE(found.trials[1].reason.find("needs 1.86 GiB, 0.931 GiB are free"), std::string::npos)
      << found.trials[1].reason;
  EXPECT_EQ(std::count(truth.tried.begin(), truth.tried.end(), "sell_packed"), 0);
}

TEST(Search, PredictionAloneNeedsAClearLead) {
  Truth truth;
  std::vector<Candidate> close = {candidate("csr", 300 * us, 0.1), candidate("pjds", 250 * us, 0.1)};
  SearchRequest r = request(1e6, close, truth);
  r.trials = false;
  EXPECT_EQ(search(r).best.format, "csr");
  r.candidates[1].hinted = true;
  EXPECT_EQ(search(r).best.format, "pjds");
  r.candidates[1] = candidate("pjds", 100 * us, 0.1);
  const Found found = search(r);
  EXPECT_EQ(found.best.format, "pjds");
  EXPECT_EQ(found.measured_s, 0);
  EXPECT_TRUE(truth.tried.empty());
}

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
  EXPECT_EQ(found.best.options.threads_per_row, 1) << "from 4 by way of 2";
  EXPECT_EQ(found.best.options.threads_per_block, 64) << "from 256 by way of 128";
  EXPECT_NEAR(found.measured_s, 0.5 * 150 * us, 1e-9);
  truth.factor = [](const FormatOptions& o) { return o.threads_per_row == 1 ? 0.5 : 1.0; };
  EXPECT_EQ(search(r).best.options.threads_per_row, 0) << "half of 4 is no better, so 1 is not reached";
  truth.factor = [](const FormatOptions& o) { return o.threads_per_row > 0 ? 0.995 : 1.0; };
  EXPECT_EQ(search(r).best.options.threads_per_row, 0) << "as much as measurements differ";
}

// What was predicted best is far slower, and the budget is too small for another build: that is no reason to stay with it.
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
  candidates.back().predicted.seconds = 190 * us;  // what it would save is not beyond doubt
  truth.tried.clear();
  truth.kept.reset();
  EXPECT_EQ(search(request(1250, candidates, truth)).best.format, "sell_packed");
  candidates.front().predicted.seconds = 250 * us;  // csr, which is plain
  truth.product_s["csr"] = 250 * us;
  truth.kept.reset();
  EXPECT_EQ(search(request(1250, candidates, truth)).best.format, "csr") << "needs no doubt";
}

// Where all formats are slower than predicted, for a reason that they share, each seems to pay for certain.
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

// What had to be given back to make room is built again: such trials are no longer cheap.
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

// A trial of what is in the launch of kernels alone costs no build, so that also products that pay for no other build pay for it.
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
  EXPECT_EQ(found.best.options.chunk_rows, 32) << "which has to be built";
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
  EXPECT_EQ(found.best.options.threads_per_block, 0) << "left to the format";
  r.fixed.clear();
  EXPECT_EQ(search(r).best.options.threads_per_block, 128);
}

}  // namespace
}  // namespace spmv::test
