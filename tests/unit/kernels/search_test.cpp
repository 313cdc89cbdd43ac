// Where a search starts, what it tries, and the reasons that it gives.
#include "kernels/tune/search.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "support/search_truth.hpp"

namespace spmv::test {
namespace {

TEST(Search, OneProductIsForCsrWithoutTrials) {
  Truth truth;
  const Found found = search(request(1, three(), truth));
  EXPECT_EQ(found.best.format, "csr");
  EXPECT_TRUE(truth.tried.empty());
  EXPECT_EQ(found.budget_s, 0);
  EXPECT_EQ(found.trials.size(), 3u);
  EXPECT_NE(found.reason.find("1 product is not worth another format"), std::string::npos) << found.reason;
}

TEST(Search, FewProductsPayForNoConversion) {
  Truth truth;
  EXPECT_EQ(search(request(100, three(), truth)).best.format, "csr");
  EXPECT_TRUE(truth.tried.empty());
}

TEST(Search, WhatIsPlainNeedsNoDoubtAndWhatIsCachedMoreOfIt) {
  // Too few products for a trial. Predicted: 250 us are 1.2 times as fast as csr, 150 us twice as fast.
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
  EXPECT_EQ(chosen(1, true), "sell_packed") << "the plain format is taken unless another is certainly better";
  EXPECT_EQ(chosen(2, false), "sell_packed") << "which format is plain must not matter";
  EXPECT_EQ(chosen(2, true), "pjds") << "csr gets no advantage if another format is plain";
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

TEST(Search, SeveralColumnsNeedTheUsualLeadAndAreSaid) {
  const auto found = [](double lead) {
    Truth truth;
    std::vector<Candidate> candidates = {candidate("csr", 300 * us, 0.1),
                                         candidate("biell", 300 * us / lead, 0.1)};
    SearchRequest r = request(2100, candidates, truth);
    for (Candidate& c : r.candidates) c.predicted.calibrated = true;
    r.trials = false;
    r.columns = 8;
    return search(r);
  };
  EXPECT_EQ(found(1.4).best.format, "csr") << "calibrations are of one column";
  EXPECT_EQ(found(1.6).best.format, "biell");
  EXPECT_NE(found(1.4).reason.find("2100 products of 8 columns are not worth another format"),
            std::string::npos)
      << found(1.4).reason;
  EXPECT_NE(found(1.6).reason.find("2100 products of 8 columns"), std::string::npos) << found(1.6).reason;
}

TEST(Search, AHostMeasuresWhatItTakesForFewerProducts) {
  const auto found = [](bool on_host, double products) {
    Truth truth;
    truth.product_s = {{"csr", 300 * us}, {"sell", 400 * us}};
    truth.build_s = 1e-3;
    SearchRequest r =
        request(products, {candidate("csr", 300 * us, 1e-3), candidate("sell", 150 * us, 1e-3)}, truth);
    r.runs_host_code = on_host;
    std::vector<double> batches;
    const auto attempt = r.attempt;
    r.attempt = [&](const Candidate& c, double batch_s, double keep_below_s) {
      batches.push_back(batch_s);
      return attempt(c, batch_s, keep_below_s);
    };
    const Found found = search(r);
    EXPECT_DOUBLE_EQ(found.budget_s, (on_host ? 0.03 : 0.02) * products * 300 * us);
    return std::tuple(found.best.format, truth.tried, batches);
  };
  // Measuring 8 products of 150 us takes 1.2 ms of a budget of 4.5 ms on a host, and of 3 ms elsewhere.
  const auto [on_host, tried_on_host, host_batches] = found(true, 500);
  EXPECT_EQ(on_host, "csr") << "sell is slower than predicted";
  EXPECT_EQ(tried_on_host, (std::vector<std::string>{"sell", "csr"}));
  ASSERT_FALSE(host_batches.empty());
  EXPECT_LT(host_batches.front(), 1.5e-4) << "batches must be shorter than on a GPU, and at most one product";
  const auto [elsewhere, tried_elsewhere, no_batches] = found(false, 500);
  EXPECT_EQ(elsewhere, "sell");
  EXPECT_TRUE(tried_elsewhere.empty());
  const auto [many, tried_for_many, batches] = found(false, 1500);
  EXPECT_EQ(many, "csr");
  ASSERT_FALSE(batches.empty());
  EXPECT_EQ(batches.front(), 2e-4);
}

// The budget allows one more build after that of the predicted best: the next in the prediction, not csr.
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
  // On a host csr needs hardly any build, so it is tried before the budget is spent.
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
  // 0.1 s more to build than csr, 150 us less per product.
  EXPECT_NE(reason(1).find("from 670 products on, sell_packed would be faster"), std::string::npos)
      << reason(1);
  EXPECT_NE(reason(100).find("sell_packed would be faster"), std::string::npos) << reason(100);
  // Here sell_packed is predicted to be faster in total, but not by enough to be certain.
  EXPECT_NE(reason(1000).find("from 4000 products on, pjds would be faster"), std::string::npos)
      << reason(1000);
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 100 * us}, {"pjds", 140 * us}};
  EXPECT_EQ(reason(1e6).find("would be faster"), std::string::npos) << reason(1e6);
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
    EXPECT_LE(found.spent_s - truth.build_s, found.budget_s)
        << "beyond one build, the budget must be kept; products: " << products;
  }
}

TEST(Search, BuildsThatTakeLongerThanPredictedCountAtTheNext) {
  Truth truth;
  truth.product_s = {{"csr", 300 * us}, {"sell_packed", 290 * us}, {"pjds", 290 * us}};
  truth.build_s = 2;  // ten times the prediction for sell_packed
  const Found found = search(request(1e5, three(), truth));
  EXPECT_EQ(found.best.format, "sell_packed");
  EXPECT_EQ(truth.tried, std::vector<std::string>(truth.tried.size(), "sell_packed"))
      << "only options of the same arrays";
  EXPECT_LE(found.spent_s, found.budget_s + truth.build_s);
}

// The budget is charged with the measured time of a product, not the predicted one.
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
  EXPECT_EQ(std::count(truth.tried.begin(), truth.tried.end(), "pjds"), 0)
      << "3.7 ms of the budget are left, pjds needs 4.3";
}

/// Of the best one, not of another that was tried.
TEST(Search, OneColumnAfterAnotherIsFoundWithTheBest) {
  for (const std::string apart : {"csr", "pjds"}) {
    Truth truth;
    truth.product_s = {{"csr", 300 * us}, {"pjds", 200 * us}};
    SearchRequest r =
        request(1e5, {candidate("csr", 300 * us, 0.1), candidate("pjds", 200 * us, 0.1)}, truth);
    r.attempt = [&, attempt = r.attempt](const Candidate& c, double batch_s, double keep_below_s) {
      Attempt result = attempt(c, batch_s, keep_below_s);
      result.columns_apart = c.format == apart;
      return result;
    };
    const Found found = search(r);
    EXPECT_EQ(found.best.format, "pjds");
    EXPECT_EQ(found.columns_apart, apart == "pjds");
    EXPECT_EQ(std::count(truth.tried.begin(), truth.tried.end(), "csr"), 1);
  }
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

}  // namespace
}  // namespace spmv::test
