#include "app/report/report.hpp"

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/example_report.hpp"

namespace spmv::test {
namespace {

using Json = nlohmann::json;

/// The text before it was wrapped, in one line.
std::string joined(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The fields of every line; quoted ones may contain commas and doubled quotes.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines{{""}};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      lines.back().emplace_back();
    else if (c == '\n' && !quoted)
      lines.push_back({""});
    else
      lines.back().back() += c;
  }
  lines.pop_back();
  return lines;
}

TEST(Report, NamesFromOutsideAreTextEverywhere) {
  RunReport report = example();
  report.matrix = "caf\xe9\x1b[2J.mtx";
  EXPECT_EQ(Json::parse(to_json(report))["matrix"]["name"], "caf\\xe9\x1b[2J.mtx")
      << "JSON can represent ESC";
  EXPECT_EQ(parse_csv(to_csv(report))[1][0], "\"caf\\xe9\\x1b[2J.mtx\"");
  EXPECT_NE(to_verbose_text(report).find("caf\\xe9\\x1b[2J.mtx"), std::string::npos);
  EXPECT_NE(to_text(report).find("caf\\xe9\\x1b[2J.mtx"), std::string::npos);
  for (const std::string name : {"=1+1.mtx", "+1.mtx", "-1.mtx", "@SUM(A1).mtx"}) {
    report.matrix = name;
    EXPECT_EQ(parse_csv(to_csv(report))[1][0], "\"'" + name + "\"");
  }
  report.matrix = "\t=1.mtx";
  EXPECT_EQ(parse_csv(to_csv(report))[1][0], "\"'\\x09=1.mtx\"");
}

// An empty product has no rate: no bytes in no time.
TEST(Report, NoRateIsADash) {
  RunReport report = example();
  report.modes.resize(1);
  report.modes[0].gflops = report.modes[0].gbytes_per_s = 0;
  const std::string text = to_verbose_text(report);
  EXPECT_NE(text.find("     0.0        -        -        -"), std::string::npos) << text;
}

TEST(Report, JsonHoldsTheMedianAndTheEnvironment) {
  const Json json = Json::parse(to_json(example()));
  ASSERT_EQ(json["modes"].size(), 2u);
  EXPECT_EQ(json["modes"][0]["median_s"], 0.25);
  EXPECT_EQ(json["modes"][0]["mode"], "vector");
  EXPECT_EQ(json["modes"][0]["phases"]["merged"]["max_s"], 0.3);
  EXPECT_EQ(json["modes"][1]["rows_wrong"], 3);
  EXPECT_EQ(json["matrix"]["rows"], 10);
  EXPECT_EQ(json["matrix"]["cols"], 12);
  EXPECT_EQ(json["matrix"]["nonzeros"], 33);
  EXPECT_EQ(json["matrix"]["name"], "my \"matrix\", new.mtx");
  EXPECT_EQ(json["environment"]["ranks"], 2);
  EXPECT_EQ(json["environment"]["places"].size(), 2u);
  EXPECT_DOUBLE_EQ(json["format"]["data_reduction"], 0.2);
}

TEST(Report, HowFarAMedianIsToBeBelieved) {
  RunReport report = example();
  report.modes[0].samples_s = {0.25, 0.5, 0.125};
  report.modes[0].median_low_s = 0.125;
  report.modes[0].median_high_s = 0.5;
  report.modes[0].marks = {"unsettled", "noisy"};
  report.modes[0].marks_reason = "Its interval is 150 % of it: clocks.";
  const Json json = Json::parse(to_json(report));
  const Json& mode = json["modes"][0];
  EXPECT_EQ(mode["samples_s"], Json::parse("[0.25, 0.5, 0.125]")) << "in the order of measurement";
  EXPECT_EQ(mode["median_low_s"], 0.125);
  EXPECT_EQ(mode["median_high_s"], 0.5);
  EXPECT_EQ(mode["marks"], Json::parse(R"(["unsettled", "noisy"])"));
  EXPECT_EQ(mode["marks_reason"], report.modes[0].marks_reason);
  EXPECT_EQ(json["modes"][1]["marks"], Json::array());
  EXPECT_EQ(json["modes"][1]["marks_reason"], "");
  const auto lines = parse_csv(to_csv(report));
  const auto column = [&](const std::string& name) {
    return std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin();
  };
  EXPECT_EQ(lines[1][column("median_low_s")], "0.125");
  EXPECT_EQ(lines[1][column("median_high_s")], "0.5");
  EXPECT_EQ(lines[1][column("marks")], "unsettled noisy");
  EXPECT_EQ(lines[1][column("marks_reason")], "\"Its interval is 150 % of it: clocks.\"");
}

TEST(Report, EveryCsvLineHasTheHeadersColumns) {
  const auto lines = parse_csv(to_csv(example()));
  ASSERT_EQ(lines.size(), 3u);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto column = [&](const std::string& name) {
    return std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin();
  };
  EXPECT_EQ(lines[1][column("mode")], "vector");
  EXPECT_EQ(lines[2][column("mode")], "task");
  EXPECT_EQ(lines[1][column("median_s")], "0.25");
  EXPECT_EQ(lines[2][column("rows_wrong")], "3");
  EXPECT_EQ(lines[1][column("matrix")], R"("my ""matrix"", new.mtx")");
}

TEST(Report, WhatFormatAutoChose) {
  RunReport report = example();
  EXPECT_EQ(to_verbose_text(report).find("chosen"), std::string::npos) << "the user named the format";
  report.format = "sell_packed (3 of 4 ranks), csr (1)";
  report.tuning.automatic = true;
  report.tuning.products = 10000;
  report.tuning.seconds = 0.4;
  report.tuning.cost_in_products = 3000;
  report.tuning.decision.format = "sell_packed";
  report.tuning.decision.reason = "sell_packed: 133 us measured, csr 302 us";
  report.tuning.decision.options.sigma = 1024;
  report.tuning.decision.trials = {{{.format = "csr"}, 302e-6, 0.1}, {{.format = "pjds"}, 0, 0, "too wide"}};
  const std::string text = to_verbose_text(report);
  for (const char* part : {"sell_packed (3 of 4 ranks), csr (1)", "chosen       sell_packed: 133 us measured",
                           "tuned in 0.400 s, as long as 3000 of 10000 products"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;

  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["format"]["interior"], report.format);
  EXPECT_EQ(json["setup"]["tuning_s"], 0.4);
  EXPECT_EQ(json["tuning"]["interior"]["options"]["sigma"], 1024);
  EXPECT_EQ(json["tuning"]["interior"]["trials"].size(), 2u);
  EXPECT_EQ(json["tuning"]["interior"]["trials"][1]["not_measured_because"], "too wide");

  const auto lines = parse_csv(to_csv(report));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto column = [&](const std::string& name) {
    return std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin();
  };
  EXPECT_EQ(lines[1][column("format")], "\"" + report.format + "\"");
  EXPECT_EQ(lines[1][column("format_options")], "\"sigma 1024\"");
  EXPECT_EQ(lines[1][column("tuned")], "true");
  EXPECT_EQ(lines[1][column("tuning_s")], "0.4");
}

TEST(Report, WhatLimitedTheOverlap) {
  RunReport report = example();
  report.modes[1].overlap = {30e-6, 10e-6, 1, "MPI: 10.0 of its 20.0 us stick out, \"behind\""};
  const std::string text = to_verbose_text(report);
  EXPECT_NE(text.find("\n  task    MPI: 10.0 of its 20.0 us stick out"), std::string::npos) << text;
  const Json json = Json::parse(to_json(report));
  EXPECT_DOUBLE_EQ(json["modes"][1]["overlap"]["share"], 0.75);
  EXPECT_EQ(json["modes"][1]["overlap"]["limited_by"], report.modes[1].overlap.limit);
  const auto lines = parse_csv(to_csv(report));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto column = std::find(lines[0].begin(), lines[0].end(), "overlap_limited_by") - lines[0].begin();
  EXPECT_EQ(lines[2][column], "\"MPI: 10.0 of its 20.0 us stick out, \"\"behind\"\"\"");
}

TEST(Report, TransportsTriedAndTheChoiceAmongThem) {
  RunReport report = example();
  report.transport = "shm";
  report.transport_choice = {"shm", "named by the user", {}};
  EXPECT_EQ(to_verbose_text(report).find("  transport "), std::string::npos) << "no transport was tried";
  report.transport_choice = {"shm",
                             "the fastest for this halo of 2 that work",
                             {{"shm", "", true, 9.1e-6, 11.2e9, 38.4e-6, false}, {"nccl", "no GPU"}}};
  const std::string text = to_verbose_text(report);
  for (const char* part : {"transport    shm (the fastest for this halo of 2 that work)\n",
                           "  transport shm         latency 9.1 us, 11.2 GB/s, 38.4 us for this halo\n",
                           "  transport nccl        refused: no GPU\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["transport"], "shm");
  EXPECT_EQ(json["transport_choice"]["tried"][0]["exchange_s"], 38.4e-6);
  EXPECT_EQ(json["transport_choice"]["tried"][1]["refused"], "no GPU");
  const auto lines = parse_csv(to_csv(report));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto column = std::find(lines[0].begin(), lines[0].end(), "transports_tried") - lines[0].begin();
  EXPECT_NE(lines[1][column].find("nccl: refused: no GPU"), std::string::npos) << lines[1][column];
}

TEST(Report, SeveralTransports) {
  RunReport report = example();
  report.modes[0].transport = "shm";
  report.modes[0].chosen = true;
  report.modes[1].transport = "staged";
  report.left_out = {{"", "nccl", "no GPU"}, {"task", "shm", "its host has to wait"}};
  const std::string text = to_verbose_text(report);
  for (const char* part :
       {"\nvector  auto: shm ", "\ntask    staged ", "\nevery   nccl              left out: no GPU\n",
        "\ntask    shm               left out: its host has to wait\n",
        "WRONG: mode task over staged: 3 rows"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["modes"][0]["transport"], "shm");
  EXPECT_EQ(json["modes"][0]["transport_chosen"], true);
  EXPECT_EQ(json["modes"][1]["transport_chosen"], false);
  EXPECT_EQ(json["left_out"][0]["reason"], "no GPU");
  const auto lines = parse_csv(to_csv(report));
  const auto column = std::find(lines[0].begin(), lines[0].end(), "transport") - lines[0].begin();
  EXPECT_EQ(lines[1][column], "shm");
  EXPECT_EQ(lines[2][column], "staged");
}

TEST(Report, LayoutsThatWereMeasured) {
  RunReport report = example();
  EXPECT_EQ(to_verbose_text(report).find("each layout"), std::string::npos)
      << "each mode was measured in one layout";
  EXPECT_EQ(to_verbose_text(report).find("Layout parted:"), std::string::npos);
  report.modes[1].layout = "parted";
  report.modes[1].other_layouts = {{"split", 0.5, 0, 0.4, 0.6}};
  report.left_out = {{"naive", "", "does not fit", "split"}};
  const std::string text = to_verbose_text(report);
  for (const char* part :
       {" merged  correct\n", " parted  WRONG\n",
        "\nLayout parted: ", "\n  task    parted 250000.0 us WRONG, split 500000.0 us\n",
        "times the bound (layout parted)\n", "\nnaive   layout split      left out: does not fit\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("vector  merged"), std::string::npos) << "mode vector has only one layout\n" << text;
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["modes"][0]["layout"], "merged");
  EXPECT_EQ(json["modes"][0]["other_layouts"], Json::array());
  EXPECT_EQ(json["modes"][1]["layout"], "parted");
  EXPECT_EQ(
      json["modes"][1]["other_layouts"],
      Json::parse(
          R"([{"layout": "split", "median_s": 0.5, "median_low_s": 0.4, "median_high_s": 0.6, "rows_wrong": 0}])"));
  EXPECT_EQ(json["left_out"][0]["layout"], "split");
  const auto lines = parse_csv(to_csv(report));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto column = std::find(lines[0].begin(), lines[0].end(), "layout") - lines[0].begin();
  EXPECT_EQ(lines[0][column + 1], "other_layouts");
  EXPECT_EQ(lines[1][column], "merged");
  EXPECT_EQ(lines[1][column + 1], "");
  EXPECT_EQ(lines[2][column], "parted");
  EXPECT_EQ(lines[2][column + 1], "split 0.5");
}

TEST(Report, LayoutsThatDidNotTakeTurns) {
  RunReport report = example();
  report.turns = {{"merged", "split"}};
  const std::string said =
      "Layouts were measured one after the other: memory has no room for all of them at once.";
  EXPECT_EQ(to_verbose_text(report).find(said), std::string::npos);
  report.turns = {{"merged"}, {"split"}};
  EXPECT_NE(to_verbose_text(report).find(said), std::string::npos);
  EXPECT_NE(joined(to_text(report)).find(said), std::string::npos);
  EXPECT_EQ(Json::parse(to_json(report))["layouts_in_turns"], Json::parse(R"([["merged"], ["split"]])"));
}

TEST(Report, TextNamesTheWrongModeAndRow) {
  const std::string text = to_verbose_text(example());
  EXPECT_NE(text.find("WRONG: mode task: 3 rows"), std::string::npos) << text;
  EXPECT_NE(text.find("worst is row 7"), std::string::npos) << "rows are counted from 1, as in the file\n"
                                                            << text;
  EXPECT_EQ(text.find("WRONG: mode vector"), std::string::npos);
}

TEST(Report, WhatKeepsAMedianFromBeingBelieved) {
  RunReport report = example();
  EXPECT_EQ(to_text(report).find("unsettled"), std::string::npos);
  report.modes[0].marks = {"unsettled", "noisy"};
  report.modes[0].marks_cause = "clocks";
  report.modes[1].marks = {"noisy", "disturbed"};
  report.modes[1].marks_cause = "more threads than cores";
  report.modes[1].marks_reason = "A thread had no core for 42 % of the time: more threads than cores.";
  report.modes[1].waited_for_core = 0.42;
  const std::string text = to_text(report);
  EXPECT_NE(text.find("\nu unsettled, n noisy, d disturbed: clocks or more threads than cores\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\nvector .* un +"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\ntask .* nd +"))) << text;
  EXPECT_NE(to_verbose_text(report).find(
                "\nnoisy, disturbed: mode task: A thread had no core for 42 % of the time: more"),
            std::string::npos);
  EXPECT_EQ(Json::parse(to_json(report))["modes"][1]["waited_for_core"], 0.42);
}

TEST(Report, WhyItIsIncomplete) {
  RunReport report = example();
  EXPECT_EQ(to_verbose_text(report).find("INCOMPLETE"), std::string::npos);
  EXPECT_EQ(to_text(report).find("INCOMPLETE"), std::string::npos);
  EXPECT_EQ(Json::parse(to_json(report))["incomplete"], "");
  report.incomplete = "ended by SIGTERM while measuring mode task";
  EXPECT_NE(to_verbose_text(report).find("INCOMPLETE: " + report.incomplete), std::string::npos);
  EXPECT_NE(joined(to_text(report)).find("INCOMPLETE: " + report.incomplete), std::string::npos);
  EXPECT_EQ(Json::parse(to_json(report))["incomplete"], report.incomplete);
  EXPECT_EQ(Json::parse(to_trace(report))["otherData"]["incomplete"], report.incomplete);
  EXPECT_NE(to_csv(report).find("\"" + report.incomplete + "\""), std::string::npos);
}

TEST(Report, TextOfAnEmptyMatrixHasNoNotANumber) {
  RunReport report;
  report.modes.resize(1);
  for (const std::string& text : {to_text(report), to_verbose_text(report)})
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(Report, AlphaAndTheModelOrWhyNot) {
  RunReport report = example();
  report.partition.nonzeros = 1000;
  report.footprint = {1000, 1000, 1000, 12000};
  report.model = {10, 0.1, 6, 10, 0.2, 0.6, 0, 0, 12};  // at alpha 0.1 it predicts 0.2 s
  report.modes[0].phases = {{Phase::merged, 0, 0, 0.4}};
  std::string text = to_verbose_text(report);
  EXPECT_NE(text.find("code balance 6.00 bytes/flop at alpha = 1/N_nzr"), std::string::npos) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\nvector .* 0\\.55 +merged"))) << text;
  EXPECT_EQ(text.find("No alpha for vector"), std::string::npos);
  const Json measured = Json::parse(to_json(report));
  EXPECT_EQ(measured["model"]["applies"], true);
  EXPECT_NEAR(measured["modes"][0]["alpha"].get<double>(), 0.55, 1e-9);

  report.footprint.bytes = 4000;  // packed
  text = to_verbose_text(report);
  EXPECT_NE(text.find("code balance -, T_MVM -: the format packs a nonzero into 4.0 bytes"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("No alpha for vector, task: the format packs a nonzero into 4.0 bytes"),
            std::string::npos)
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\nvector .* - +merged"))) << text;
  const Json packed = Json::parse(to_json(report));
  EXPECT_EQ(packed["model"]["applies"], false);
  EXPECT_TRUE(packed["modes"][0]["alpha"].is_null());
  EXPECT_NE(packed["modes"][0]["alpha_missing_because"], "");
}

TEST(Report, OneTableForTwoChoicesOfATransport) {
  RunReport report = example();
  const TransportReport staged{"staged", "", true, 9.1e-6, 11.2e9, 38.4e-6, false},
      p2p{"p2p", "", true, 1e-6, 1e12, 2e-6, true}, waiting{"staged", "its host has to wait"};
  report.transport_choice = {"staged", "first of two", {staged, p2p}};
  report.queued_exchange_choice = {"p2p", "the only one", {waiting, p2p}};
  const std::string text = to_verbose_text(report);
  for (
      const char* part :
      {"transport    staged (first of two); for queued products p2p (the only one)\n",
       "  transport staged      latency 9.1 us, 11.2 GB/s, 38.4 us for this halo; not for queued products: its host "
       "has to wait\n",
       "  transport p2p         latency 1.0 us, 1000.0 GB/s, 2.0 us for this halo\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("transport staged", text.find("transport staged") + 1), std::string::npos)
      << "printed twice\n"
      << text;
}

}  // namespace
}  // namespace spmv::test
