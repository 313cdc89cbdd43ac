#include "app/report/analysis_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spmv::test {
namespace {

/// An analysis with `rows_of_length[l]` rows of l nonzeros.
Analysis analysis_of(std::vector<offset> rows_of_length) {
  Analysis a;
  a.longest = static_cast<lidx>(rows_of_length.size()) - 1;
  for (std::size_t l = 0; l < rows_of_length.size(); ++l) {
    a.rows += static_cast<lidx>(rows_of_length[l]);
    a.nonzeros += static_cast<offset>(l) * rows_of_length[l];
  }
  a.mean_length = a.rows > 0 ? static_cast<double>(a.nonzeros) / a.rows : 0;
  a.rows_of_length = std::move(rows_of_length);
  return a;
}

/// Fails unless there are at most 20 contiguous bins, which cover all lengths and rows.
void check_bins(const Analysis& a) {
  const std::vector<LengthBin> bins = length_bins(a);
  EXPECT_LE(bins.size(), 20u);
  offset next = 0, rows = 0;
  for (const LengthBin& bin : bins) {
    EXPECT_EQ(bin.first, next);
    EXPECT_GE(bin.last, bin.first);
    next = bin.last + 1;
    rows += bin.rows;
  }
  EXPECT_EQ(next, a.longest + 1);
  EXPECT_EQ(rows, a.rows);
}

TEST(AnalysisReport, BinsCoverAllLengths) {
  check_bins(analysis_of({0}));
  check_bins(analysis_of({0, 0, 0, 1}));
  for (const std::size_t longest : {18, 19, 20, 21, 100, 1000, 262142, 262143, 262144, 3000000}) {
    std::vector<offset> even(longest + 1, 0), skewed(longest + 1, 0);
    even[longest] = even[longest - 1] = even[longest / 2] = 10;
    skewed[1] = 1000000;
    skewed[longest] = 1;
    check_bins(analysis_of(even));
    check_bins(analysis_of(skewed));
  }
}

TEST(AnalysisReport, SkewedLengthsDouble) {
  std::vector<offset> rows(1001, 0);
  rows[1] = 100;
  rows[2] = 10;
  rows[3] = 5;
  rows[1000] = 1;
  const std::vector<LengthBin> bins = length_bins(analysis_of(rows));
  ASSERT_GE(bins.size(), 4u);
  EXPECT_EQ(bins[1].first, 1);
  EXPECT_EQ(bins[1].last, 1);
  EXPECT_EQ(bins[2].last, 3);
  EXPECT_EQ(bins[2].rows, 15);
  EXPECT_EQ(bins[3].last, 7);
}

TEST(AnalysisReport, TextAndJsonHaveEveryFormatAndTheChoice) {
  AnalysisReport report;
  report.analysis = analysis_of({2, 3, 0, 4});
  report.empty_rows = 2;
  report.outlooks = {{"csr", {100, 120, 4, 8}, {1e-5, 1e-6, 1e-3}, ""}, {"pellr", {}, {}, "needs 7 GiB"}};
  report.decision.format = "csr";
  report.decision.reason = "csr: because";
  const std::string text = to_text(report);
  for (const char* part : {"empty 2", "csr   ", "needs 7 GiB", "auto         csr: because"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["formats"].size(), 2u);
  EXPECT_EQ(json["formats"][1]["refused"], "needs 7 GiB");
  EXPECT_EQ(json["choice"]["reason"], "csr: because");
  EXPECT_EQ(json["row_lengths"]["rows_of_length"].size(), 3u);

  report = {};
  report.analysis = analysis_of({0});
  EXPECT_EQ(to_text(report).find("nan"), std::string::npos) << "no rows at all";
}

}  // namespace
}  // namespace spmv::test
