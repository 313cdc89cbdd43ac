#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/launch/environment.hpp"
#include "app/scale/point.hpp"
#include "app/scale/points_file.hpp"
#include "app/scale/scaling_table.hpp"
#include "comm/place/cores.hpp"
#include "core/error.hpp"
#include "core/shell_words.hpp"

namespace spmv::test {
namespace {

TEST(ShellWords, WhatIsNotPlainIsQuoted) {
  EXPECT_EQ(shell_word("--format=csr,pjds"), "--format=csr,pjds");
  EXPECT_EQ(shell_word("/a/b-c_1.mtx"), "/a/b-c_1.mtx");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("A=b"), "'A=b'") << "would be an assignment";
  EXPECT_EQ(shell_word("a b#$(c)"), "'a b#$(c)'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("a\n'1"), R"($'a\012\'1')") << "on one line, and digits behind stay apart";
  EXPECT_EQ(shell_word("\\\x1b"), R"($'\\\033')");
  EXPECT_EQ(shell_words({"a", "b c"}), "a 'b c'");
}

TEST(Environment, CoresAreRanges) {
  EXPECT_EQ(core_ranges({}), "");
  EXPECT_EQ(core_ranges({3}), "3");
  EXPECT_EQ(core_ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(Environment, DriversTellTheirVersion) {
  EXPECT_EQ(
      driver_version(
          "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc 12.2.0\n"),
      "535.104.05");
  EXPECT_EQ(
      driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build\n"),
      "550.54.15");
  EXPECT_EQ(driver_version(""), "");
}

TEST(Scale, MatricesGrowWithTheRanks) {
  EXPECT_EQ(with_ranks("stencil7:8,8,{4*ranks}", 3), "stencil7:8,8,12");
  EXPECT_EQ(with_ranks("{ranks}_{10*ranks}.mtx", 2), "2_20.mtx");
  for (const char* text : {"a", "{", "{ranks", "{rank}", "{x*ranks}", "{4ranks}", "{}", "}{"})
    EXPECT_EQ(with_ranks(text, 2), text);
}

Json point(int ranks, const char* mode, double median_s) {
  return {{"matrix", "m"},
          {"partition", "rows"},
          {"format", "csr"},
          {"transport", "auto"},
          {"mode", mode},
          {"options", ""},
          {"commit", "c"},
          {"ranks", ranks},
          {"nonzeros", 100},
          {"median_s", median_s},
          {"measured", Json::object()}};
}

TEST(Scale, EfficiencyIsAgainstTheFastestOnTheFewestRanks) {
  const std::string table =
      scaling_table({point(4, "task", 1e-5), point(1, "vector", 4e-5), point(1, "task", 5e-5)});
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  for (const auto& [mode, efficiency] :
       {std::pair("vector", "100 %"), std::pair("task", "80 %"), std::pair("task", "100 %")}) {
    std::getline(lines, line);
    EXPECT_NE(line.find(mode), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with(efficiency)) << line;
  }
}

TEST(Scale, HiddenIsADashWithoutAHaloAndWhereItIsNotKnown) {
  const auto row = [](double halo, double low, double high, double alone) {
    Json one = point(2, "task", 1e-5);
    one["measured"] = {
        {"median_low_s", low}, {"median_high_s", high}, {"halo_alone_s", alone}, {"hidden_share", 0.25}};
    one["partition_stats"] = {{"halo_total", halo}};
    return scaling_table({one});
  };
  EXPECT_NE(row(9, 9e-6, 11e-6, 3e-6).find(" 25 %"), std::string::npos);
  EXPECT_EQ(row(0, 9e-6, 11e-6, 3e-6).find(" 25 %"), std::string::npos) << "no halo, as on one rank";
  EXPECT_EQ(row(9, 9e-6, 11e-6, 1e-6).find(" 25 %"), std::string::npos) << "the median is not known so well";
  EXPECT_EQ(row(9, 1e-6, 1e-6, 0).find(" 25 %"), std::string::npos) << "the halo took no time";
  const std::string bare = scaling_table({point(1, "task", 1e-5)});
  EXPECT_EQ(bare.find("0 % "), std::string::npos) << bare;
}

class ScalePoints : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path_ = fmt::format("{}/points_{}.jsonl", testing::TempDir(), ::getpid());
};

TEST_F(ScalePoints, ATornLastLineIsCutOff) {
  { PointsFile(path_).append({point(1, "vector", 1), point(2, "vector", 1)}); }
  const std::string whole = text();
  const std::string last = text_of(point(4, "vector", 1), -1);
  for (std::size_t kept = 1; kept < last.size(); ++kept) {
    put(last.substr(0, kept));
    PointsFile file(path_);
    EXPECT_TRUE(file.was_torn());
    EXPECT_EQ(file.lines().size(), 2U);
    EXPECT_EQ(text(), whole);
  }
  PointsFile file(path_);
  EXPECT_FALSE(file.was_torn());
  EXPECT_TRUE(file.has(point_of(point(2, "vector", 7), "")));
  EXPECT_FALSE(file.has(point_of(point(2, "task", 1), "")));
  file.append({point(2, "task", 1)});
  EXPECT_TRUE(file.has(point_of(point(2, "task", 1), "")));
}

TEST_F(ScalePoints, OneStudyWritesAFile) {
  const PointsFile file(path_);
  EXPECT_THROW(PointsFile another(path_), Error);
}

TEST_F(ScalePoints, WhatIsNoPointIsNamed) {
  for (const char* line : {"7", "nonsense", "{}", R"({"matrix": 1})"}) {
    std::filesystem::remove(path_);
    put(text_of(point(1, "vector", 1), -1) + line + "\n");
    try {
      PointsFile file(path_);
      FAIL() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_NE(std::string(error.what()).find(":2: "), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace spmv::test
