// What the table of solvers says limits an iteration.
#include "app/report/solve_report.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/report/wrap.hpp"

namespace spmv::test {
namespace {

SolveOutlook outlook(double product_s, double vectors_s, double sums_s) {
  SolveOutlook o;
  o.solver = "cg";
  o.an_iteration_s = product_s + vectors_s + sums_s;
  o.interval = {o.an_iteration_s * 0.9, o.an_iteration_s * 1.2};
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
  EXPECT_NE(text.find("cg                   -                 9000      0  0.0e+00        -  iterations\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\ncg             9000    8100-10800       -       -      -      -      -  -\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("INCOMPLETE: ended by SIGTERM.\n"), std::string::npos) << text;
}

/// With the widest names and times in each unit.
TEST(SolveReport, FitsATerminal) {
  for (const double unit : {1e-9, 1e-6, 99e-9, 1e-3, 1.0}) {
    SolveReport report;
    report.outlooks.assign(3, outlook(1234.5 * unit, 2345.6 * unit, 999.9 * unit));
    for (SolveOutlook& o : report.outlooks) {
      o.solver = "cg_classical";
      o.mode = "vector";
      o.transport = "node_aware";
      o.transport_chosen = o.several_transports = true;
      o.bytes = 123456789;
      o.error = 1e-100;
      o.result.iterations = 100'000;
      o.result.stop = Stop::broke_down;
      o.result.reason =
          "a reason that is longer than a line of the report is, so that it is in several lines";
    }
    report.outlooks[1].mode = "device";
    report.outlooks[2].refused = report.outlooks[0].result.reason;
    const std::string text = to_text(report);
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      EXPECT_LE(end - begin, report_columns) << text.substr(begin, end - begin);
    EXPECT_NE(text.find("An iteration in mode device over node_aware, in "), std::string::npos) << text;
  }
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
  for (const char* time :
       {"seconds_per_iteration", "seconds_per_iteration_low", "seconds_per_iteration_high"})
    EXPECT_TRUE(solvers[2][time].is_null()) << time;
}

}  // namespace
}  // namespace spmv::test
