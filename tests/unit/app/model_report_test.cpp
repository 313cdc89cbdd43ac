// [Kreutzer 2012, Eq. 1 to 4], with the paper's numbers.
#include "app/report/model_report.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/report/wrap.hpp"

namespace spmv::test {
namespace {

/// A million rows of 15 nonzeros; the GPU is ten times as fast as PCIe and four times as fast as the host.
ModelReport hmep_report() {
  ModelReport report;
  report.matrix = "hmep.mtx";
  report.value = "double";
  report.shape = {1000000, 1000000};
  report.nonzeros = 15000000;
  report.host = {25e9, 30e6, 1.0 / 15};
  report.gpu = {100e9, 50e6, 1};
  report.pcie = 10e9;
  return report;
}

TEST(ModelReport, CodeBalanceAndTimes) {
  const ModelReport r = hmep_report();
  EXPECT_NEAR(code_balance(r, r.host), 6 + 4.0 / 15 + 8.0 / 15, 1e-12);  // Eq. 1
  EXPECT_NEAR(code_balance(r, r.gpu), 6 + 4 + 8.0 / 15, 1e-12);
  EXPECT_NEAR(product_seconds(r, r.gpu), 8e6 / 100e9 * (15 * (1 + 1.5) + 2), 1e-12);  // Eq. 2
  EXPECT_NEAR(transfer_seconds(r), 16e6 / 10e9, 1e-12);
}

TEST(ModelReport, ThresholdsOfThePaper) {
  ModelReport r = hmep_report();
  EXPECT_NEAR(most_in_vain(r), 2 * (10 - 1) / 2.5, 1e-12);       // Eq. 3
  EXPECT_NEAR(least_worthwhile(r), (20 * 10 - 2) / 2.5, 1e-12);  // Eq. 4: the paper's 80
  r.nonzeros = 7200000;                                          // the same time on both
  EXPECT_NEAR(product_seconds(r, r.gpu), transfer_seconds(r), 1e-12);
  r.nonzeros = 79200000;
  EXPECT_NEAR(product_seconds(r, r.gpu), 10 * transfer_seconds(r), 1e-12);
}

TEST(ModelReport, WhetherAGpuIsWorthIt) {
  ModelReport r = hmep_report();
  r.pcie = 3e9;
  EXPECT_NE(to_text(r).find("verdict  Worth a GPU if x and y stay in its memory: "), std::string::npos)
      << to_text(r);
  r.pcie = 1000e9;
  EXPECT_NE(to_text(r).find("verdict  Worth a GPU: "), std::string::npos) << to_text(r);
  r.host.bandwidth = 200e9;
  EXPECT_NE(to_text(r).find("verdict  Not worth a GPU: "), std::string::npos) << to_text(r);
}

TEST(ModelReport, FitsATerminalAndAFile) {
  ModelReport r = hmep_report();
  r.matrix = std::string(200, 'm');
  std::istringstream lines(to_text(r));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 80u) << line;
  const auto json = nlohmann::json::parse(to_json(r));
  EXPECT_EQ(json["gpu"]["alpha"], 1);
  EXPECT_NEAR(json["most_nonzeros_per_row_in_vain"].get<double>(), 7.2, 1e-12);
  r = {};
  EXPECT_EQ(to_text(r).find("nan"), std::string::npos) << to_text(r);
}

}  // namespace
}  // namespace spmv::test
