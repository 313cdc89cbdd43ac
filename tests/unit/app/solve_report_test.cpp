// What the table of solvers says limits an iteration.
#include "app/report/solve_report.hpp"

#include <string>

#include <gtest/gtest.h>

namespace spmv::test {
namespace {

SolveOutlook outlook(double product_s, double vectors_s, double sums_s) {
  SolveOutlook o;
  o.solver = "cg";
  o.an_iteration_s = product_s + vectors_s + sums_s;
  o.product_s = product_s;
  o.sums_s = sums_s;
  o.product_bound_s = 4;
  o.vectors_bound_s = 2;
  return o;
}

TEST(SolveReport, TheLimitIsWhatIsFarthestFromItsBound) {
  EXPECT_STREQ(outlook(4.5, 2.5, 0.4).limit(), "memory");
  EXPECT_STREQ(outlook(9, 6, 1).limit(), "product");
  EXPECT_STREQ(outlook(9, 8, 1).limit(), "vectors");
  EXPECT_STREQ(outlook(5, 4, 3).limit(), "sums");
  EXPECT_STREQ(outlook(0, 9, 0).limit(), "") << "products were not measured";
}

TEST(SolveReport, WhatIsNotKnownIsADash) {
  SolveReport report;
  report.outlooks = {outlook(0, 9, 0)};
  report.incomplete = "ended by SIGTERM";
  const std::string text = to_text(report);
  EXPECT_NE(text.find(" -" + std::string(17, ' ') + "0   0.00e+00          -  "), std::string::npos) << text;
  EXPECT_NE(text.find("INCOMPLETE: ended by SIGTERM.\n"), std::string::npos) << text;
}

TEST(SolveReport, WhatWasNotMeasuredIsNull) {
  SolveReport report;
  report.outlooks = {outlook(4, 9, 1), outlook(0, 9, 0), outlook(0, 0, 0)};  // all, no parts, no iteration
  const Json solvers = Json::parse(to_json(report))["solvers"];
  for (const char* part : {"product_s", "sums_s", "vectors_s", "bytes", "bound_s"}) {
    EXPECT_TRUE(solvers[0][part].is_number()) << part;
    for (const int i : {1, 2}) EXPECT_TRUE(solvers[i][part].is_null()) << part;
  }
  EXPECT_EQ(solvers[1]["seconds_per_iteration"], 9);
  for (const char* time : {"seconds_per_iteration", "slowest_seconds_per_iteration"})
    EXPECT_TRUE(solvers[2][time].is_null()) << time;
}

}  // namespace
}  // namespace spmv::test
