#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/page.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"
#include "app/report/pictures.hpp"
#include "core/error.hpp"

namespace spmv::html::test {
namespace {

/// A run of one mode on so many ranks that takes so many seconds a product.
Json run(double ranks, double seconds) {
  return {{"environment", {{"ranks", ranks}}},
          {"matrix", {{"name", "m"}, {"rows", 4}, {"cols", 4}, {"nonzeros", 9}}},
          {"modes", {{{"mode", "task"}, {"median_s", seconds}, {"gflops", 2.0}}}}};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Html, NamesBecomeText) {
  EXPECT_EQ(escape("<script>alert('a')</script>"), "&lt;script&gt;alert(&#39;a&#39;)&lt;/script&gt;");
  EXPECT_EQ(escape("\"&\"\n"), "&quot;&amp;&quot;\n");
  EXPECT_EQ(escape("\x1b[2J\xff caf\xc3\xa9"), "\\x1b[2J\\xff caf\xc3\xa9");
  EXPECT_EQ(escape("a\u202eb\u2066c\u2069"), "a\\u202eb\\u2066c\\u2069")
      << "names are read as they are written";
  EXPECT_EQ(escape("\u2030\u2065\u206a"), "\u2030\u2065\u206a");
}

TEST(Html, NumbersInWords) {
  EXPECT_EQ(seconds(46.34e-6), "46.3 µs");
  EXPECT_EQ(seconds(0.9996e-3), "1.00 ms");
  EXPECT_EQ(seconds(0), "0 µs");
  EXPECT_EQ(digits(123.4) + " " + digits(12345) + " " + digits(999.9), "123 12345 1000");
  EXPECT_EQ(bytes(8456), "8.46 kB");
  EXPECT_EQ(bytes(1), "1.00 B");
  EXPECT_EQ(count(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(count(123), "123");
  EXPECT_EQ(count(0.25), "0.250");
  EXPECT_EQ(percent(0.0234), "2.3 %");
  EXPECT_EQ(percent(0.5), "50 %");
  EXPECT_EQ(plural(1, "rank") + plural(2, "rank"), "1 rank2 ranks");
}

TEST(Html, ValuesThatAreNoneAreNotThere) {
  const Json json = Json::parse(R"({"a": null, "b": "1", "c": 1e31, "d": 2, "e": [1, null, "x"]})");
  for (const char* key : {"a", "b", "c", "e", "f"}) EXPECT_FALSE(number(json, key)) << key;
  EXPECT_EQ(number(json, "d"), 2);
  EXPECT_FALSE(number(Json(std::nan("")))) << "as a run has it before it is written";
  EXPECT_FALSE(number(Json(3), "d"));
  EXPECT_EQ(numbers(json["e"], 3), (std::vector<double>{1, 0, 0}));
  EXPECT_TRUE(numbers(json["e"], 2).empty());
  EXPECT_EQ(text(json, "d"), "");
}

TEST(Html, Scales) {
  EXPECT_EQ(Scale::from_0(0.93).largest(), 1);
  EXPECT_EQ(Scale::from_0(0).largest(), 1);
  EXPECT_EQ(Scale::from_0(41).ticks(), (std::vector<double>{0, 10, 20, 30, 40, 50}));
  EXPECT_DOUBLE_EQ(Scale::logarithmic(1, 100).at(10), 0.5);
  EXPECT_EQ(Scale::logarithmic(1, 100).at(-3), 0) << "no value is outside";
  EXPECT_EQ(Scale::logarithmic(1, 1000).ticks(), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(Scale::logarithmic(1, 20).ticks(), (std::vector<double>{1, 2, 5, 10, 20}));
  EXPECT_EQ(place(0.125), "12.5%");
  EXPECT_EQ(place(7), "100%");
  EXPECT_EQ(place(std::nan("")), "0%");
  EXPECT_FALSE(Scale::linear(1e18, 1e18).ticks().empty()) << "no width at all";
  EXPECT_LE(Scale::logarithmic(1e-30, 1e30).ticks().size(), 62u);
}

TEST(Html, CellsSideBySideAreOnePath) {
  const std::string drawn = grid(3, {{0, 0, 5, 1, {}}, {0, 1, 5, 1, {}}, {2, 2, 5, 1 + 12, {}}}, {}, "cells");
  EXPECT_TRUE(holds(drawn, R"(d="M0 0h2v1h-2zM2 2h1v1h-1z")")) << drawn;
  EXPECT_TRUE(holds(drawn, R"(data-cells="0,0,5,1;0,1,5,1;2,2,5,13;")")) << drawn;
}

TEST(Html, StrongScalingInNumbers) {
  const Json one = run(1, 1), two = run(2, 0.625), slower = run(2, 0.9), eight = run(8, 0.5);
  const Drawing drawing = draw_scaling({&one, &two, &slower, &eight});
  EXPECT_TRUE(holds(
      drawing.says,
      "On 8 ranks the fastest mode, task, takes 500 ms for a product, 2.00 times as fast as the fastest on 1 rank: "
      "an efficiency of 25 %; beyond 2 ranks no mode has 50 %."))
      << drawing.says;
  EXPECT_TRUE(holds(drawing.markup, "task on 2 ranks: 625 ms, efficiency 80 %")) << "the faster of two";
  EXPECT_TRUE(holds(drawing.markup, "class=\"ideal\""));
  EXPECT_TRUE(draw_scaling({&one, &one}).markup.empty());
  const Json four = run(4, 0.25);
  EXPECT_TRUE(holds(draw_scaling({&two, &four}).markup, "2 ranks count as 2"))
      << "nothing is known of one rank";
}

/// A run of weak scaling: so many nonzeros.
Json grown(double ranks, double nonzeros, double seconds) {
  Json json = run(ranks, seconds);
  json["grows_as"] = "stencil7:8,8,{4*ranks}";
  json["matrix"].update({{"name", "m" + std::to_string(ranks)}, {"nonzeros", nonzeros}});
  return json;
}

TEST(Html, WeakScalingInNumbers) {
  const Json one = grown(1, 100, 1), two = grown(2, 220, 1.25), four = grown(4, 400, 2);
  const Drawing drawing = draw_weak_scaling({&four, &two, &one});
  EXPECT_EQ(
      drawing.says,
      "On 4 ranks the fastest mode, task, takes 2.00 s for a product, where the fastest on 1 rank takes 1.00 s: "
      "an efficiency of 50 %.");
  EXPECT_TRUE(holds(drawing.markup, "task on 2 ranks, 220 nonzeros: 1.25 s, efficiency 88 %"))
      << "by nonzeros, which do not grow quite as the ranks do";
  EXPECT_TRUE(draw_weak_scaling({&two, &two}).markup.empty());
}

TEST(Html, MatricesThatGrowAreOneFigure) {
  const std::string text = page({{"a", grown(1, 100, 1)}, {"b", grown(2, 200, 1)}, {"c", run(2, 1)}});
  EXPECT_TRUE(holds(text, "<h1>stencil7:8,8,{4*ranks}</h1>\n<figure class=\"figure-weak_scaling\""));
  EXPECT_EQ(text.find("Strong scaling: left out"), text.rfind("Strong scaling: left out"))
      << "of the matrix that does not grow alone";
}

TEST(Html, IntervalsOfTheTwoFastestAreCompared) {
  Json json = run(1, 1);
  json["modes"][0].update({{"median_low_s", 0.9}, {"median_high_s", 1.1}});
  json["modes"].push_back(
      {{"mode", "naive"}, {"median_s", 1.2}, {"median_low_s", 1.05}, {"median_high_s", 1.3}});
  EXPECT_TRUE(holds(draw_modes(json).says, "but the intervals of the two overlap"));
  json["modes"][1]["median_low_s"] = 1.11;
  EXPECT_TRUE(holds(draw_modes(json).says, "the intervals of the two do not overlap"));
  json["modes"][1]["median_low_s"] = nullptr;
  EXPECT_TRUE(holds(draw_modes(json).says, "from the minimum to the 95th percentile where"));
  json["modes"][0]["marks"] = {"noisy"};
  json["modes"][0]["marks_reason"] = "Another process.";
  EXPECT_TRUE(holds(draw_modes(json).says, "task (noisy: Another process)"));
  json["modes"][0]["rows_wrong"] = 3;
  EXPECT_TRUE(holds(page({{"a", json}}), "WRONG: 3 rows of mode task"));
}

TEST(Html, RooflineByTheBytesOfTheFormat) {
  Json json = run(1, 0.5);
  json["bandwidth"]["copy_bytes_per_s"] = 4e9;
  json["format"]["moved_bytes"] =
      1e9;  // 1 Gflop a product: 1 flop for each byte, so that memory allows 4 GF/s
  EXPECT_TRUE(holds(
      draw_roofline(json).says,
      "at 1.00 flop for each byte it allows 4.00 GF/s, and task, the fastest mode, reaches 2.00 GF/s: 50 % of it"))
      << draw_roofline(json).says;
  json["bandwidth"]["copy_bytes_per_s"] = nullptr;
  EXPECT_TRUE(draw_roofline(json).markup.empty());
}

/// Whatever its shape, JSON of others makes a page, without markup of its own.
TEST(Html, AnythingInAnyPlaceMakesAPage) {
  const std::string hostile = "\"><script>alert(1)</script>";
  const std::vector<Json> others = {
      nullptr,
      3,
      -1e300,
      hostile,
      Json::array({hostile, 7, nullptr}),
      {{hostile, hostile}},
      Json::array({Json::array({hostile, 1, 2}), Json::array({-5, 1e18, 3, 1e12})})};
  Json whole = run(2, 1);
  whole["modes"][0].update({{"overlap", {{"hidden_s", 1}, {"exposed_s", 1}}}, {"marks", {"a"}}});
  whole["partition"] = {{"edge_cut", 1}, {"halo_total", 2}};
  whole["bandwidth"] = {{"copy_bytes_per_s", 1e9}};
  whole["format"] = {{"interior", "csr"}, {"moved_bytes", 1e9}};
  whole["pictures"] = {
      {"every_row", 1},
      {"spy_before", {{"side", 2}, {"cells", {{0, 0, 3, 0}, {1, 1, 6, 1}}}}},
      {"spy_after", {{"side", 2}, {"cells", {{0, 0, 3, 0}, {1, 1, 6, 1}}}}},
      {"row_lengths", {{1, 2, 3}}},
      {"communication", {{"ranks_per_block", 1}, {"bytes", {{0, 8}, {8, 0}}}}},
      {"shares", {{"values", {{{"rows", 2}, {"nonzeros", 4}}, {{"rows", 2}, {"nonzeros", 5}}}}}},
      {"timelines", {{{"mode", "task"}, {"ranks", {{{"rank", 0}, {"spans", {{"mpi", 0, 1}}}}}}}}}};
  for (const RunFigure& row : run_figures())
    EXPECT_FALSE(row.draw(whole).markup.empty()) << row.name << row.draw(whole).says;
  whole["grows_as"] = "m{ranks}";
  Json larger = whole;
  larger["environment"]["ranks"] = 4;
  const Json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items())
    for (const Json& other : others)
      for (std::string place = pointer; !place.empty(); place.erase(place.rfind('/'))) {
        Json changed = whole;
        changed[Json::json_pointer(place)] = other;
        const std::string text = page({{hostile, changed}, {hostile, larger}});
        ASSERT_FALSE(holds(text, "<script>alert")) << place << " is " << other;
        ASSERT_FALSE(holds(text, "nan%") || holds(text, "inf%")) << place << " is " << other;
      }
}

TEST(Html, ForeignFilesAreNamed) {
  const auto refused = [](const std::string& text, bool lines) {
    try {
      parse_runs(text, "file", lines);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_TRUE(holds(refused("{", false), "file: is no JSON"));
  EXPECT_TRUE(holds(refused("{}", false), "file: is no result of a run: it has no number of ranks"));
  EXPECT_TRUE(holds(refused(run(1, 1).dump() + "\n\n7\n", true), "file, line 3: is no result"));
  EXPECT_TRUE(holds(refused("\n", true), "holds no run"));
  EXPECT_EQ(parse_runs(run(1, 1).dump() + "\n\n" + run(2, 1).dump(), "file", true).at(1).source,
            "file, line 3");
}

TEST(Html, PointsOfAStudyBecomeRuns) {
  const Json point = {{"matrix", "m"},
                      {"mode", "task"},
                      {"transport", "auto"},
                      {"ranks", 2},
                      {"rows", 4},
                      {"nonzeros", 9},
                      {"median_s", 1.0},
                      {"measured", {{"mode", "task"}, {"median_s", 1.0}}},
                      {"storage", {{"interior", "csr"}}},
                      {"environment", {{"ranks", 2}, {"date", "d"}}}};
  Json naive = point, absent = point, later = point;
  naive["measured"]["mode"] = "naive";
  absent.erase("measured");
  absent["left_out"] = "needs GPUs";
  later["environment"]["date"] = "e";
  const std::vector<SavedRun> runs =
      parse_runs(point.dump() + "\n" + naive.dump() + "\n" + absent.dump() + "\n" + later.dump(), "f", true);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].json["modes"].size(), 2u);
  EXPECT_EQ(runs[0].json["left_out"][0]["reason"], "needs GPUs");
  EXPECT_EQ(runs[1].source, "f, line 4");
  EXPECT_TRUE(holds(page(runs), "format csr"));
}

TEST(Html, RunsOfOneMatrixAreTogetherAndTheLargestFirst) {
  Json other = run(4, 1);
  other["matrix"]["name"] = "other";
  const std::string text = page({{"a", run(1, 1)}, {"b", other}, {"c", run(8, 1)}});
  EXPECT_LT(text.find("From c"), text.find("From a"));
  EXPECT_LT(text.find("From a"), text.find("From b"));
  EXPECT_TRUE(holds(text, "figure-scaling"));
}

TEST(Html, WhatHasNoRoomIsNamed) {
  Json large = run(2, 1), small = run(1, 1);
  large["environment"]["versions"] = std::string(1'200'000, 'v');
  const std::string text = page({{"first", large}, {"second", large}, {"third", small}});
  EXPECT_LE(text.size(), 2'000'000u);
  EXPECT_TRUE(holds(text, "From first") && holds(text, "From third"));
  EXPECT_FALSE(holds(text, "From second"));
  EXPECT_TRUE(holds(text, "two megabytes: 1 part</p><ul>\n<li>second</li>"));
}

TEST(Pictures, ClassesOfRowLengthsAreFewAndHoldEveryLength) {
  for (const auto& [shortest, longest] : std::vector<std::pair<gidx, gidx>>{
           {0, 0}, {5, 5}, {0, 63}, {0, 64}, {3, 70}, {1, 100}, {0, 12345}, {7, 2000000000}, {1000, 1100}}) {
    const std::vector<RowLengthClass> classes = row_length_classes(shortest, longest);
    ASSERT_FALSE(classes.empty());
    EXPECT_LE(classes.size(), static_cast<std::size_t>(Pictures::most_cells)) << longest;
    EXPECT_EQ(classes.front().from, shortest);
    EXPECT_EQ(classes.back().to, longest);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      EXPECT_LE(classes[i].from, classes[i].to);
      if (i > 0) {
        EXPECT_EQ(classes[i].from, classes[i - 1].to + 1);
      }
    }
  }
}

}  // namespace
}  // namespace spmv::html::test
