#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/compare/comparison.hpp"
#include "app/report/aligned.hpp"
#include "app/report/report_json.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

using Cells = std::vector<std::string>;

constexpr std::pair<const char*, std::string Subject::*> subject_columns[] = {
    {"mode", &Subject::mode},           {"transport", &Subject::transport}, {"format", &Subject::format},
    {"partition", &Subject::partition}, {"ranks", &Subject::ranks},         {"matrix", &Subject::matrix}};

/// A word for people; `min_ratio` 0: nobody has asked for a speed.
std::string verdict(const ComparedSeries& s, double min_ratio) {
  if (s.fails(min_ratio)) return fmt::format("BELOW {:g}", min_ratio);
  if (s.is_below(min_ratio)) return "undecided";
  if (s.is_slower()) return "slower";
  return s.is_faster() ? "faster" : "no difference";
}

std::string list_differences(const std::vector<Difference>& differences) {
  if (differences.empty()) return "differs      nothing that the files tell\n";
  const auto shown = [](const std::string& value) {
    return value.empty() ? std::string("not told") : printable(value);
  };
  std::string text;
  for (const Difference& d : differences)
    text += fmt::format("{:13}{}: {} -> {}\n", text.empty() ? "differs" : "", printable(d.name),
                        shown(d.before), shown(d.after));
  return text;
}

std::string table(const Comparison& c) {
  std::vector<std::pair<const char*, std::string Subject::*>> columns;
  std::string shared;
  for (const auto& [name, part] : subject_columns) {
    const std::string& first = c.series.front().subject.*part;
    const bool same =
        std::all_of(c.series.begin(), c.series.end(),
                    [&, part = part](const ComparedSeries& s) { return s.subject.*part == first; });
    if (same && part != &Subject::mode)
      shared += fmt::format("{:13}{}\n", name, printable(first));
    else
      columns.emplace_back(name, part);
  }
  std::vector<Cells> lines(1);
  for (const auto& [name, part] : columns) lines[0].emplace_back(name);
  for (const char* name : {"A us", "B us", "B's speed", "95 % interval", "verdict"})
    lines[0].emplace_back(name);
  for (const ComparedSeries& s : c.series) {
    Cells line;
    for (const auto& [name, part] : columns) line.push_back(printable(s.subject.*part));
    for (const double seconds : {s.before_s, s.after_s}) line.push_back(fmt::format("{:.1f}", seconds * 1e6));
    line.push_back(fmt::format("{:.3f}", s.speed.ratio));
    line.push_back(fmt::format("{:.3f} to {:.3f}", s.speed.low, s.speed.high));
    line.push_back(verdict(s, c.min_ratio));
    lines.push_back(line);
  }
  return shared + aligned(lines) + "B's speed: median time of A over that of B; above 1, B is faster\n";
}

}  // namespace

std::string to_text(const Comparison& c) {
  std::string text =
      fmt::format("A            {}\nB            {}\n", printable(c.before), printable(c.after));
  text += list_differences(c.differences) + table(c);
  for (const ComparedSeries& s : c.series) {
    if (s.chosen_before != s.chosen_after)
      text += fmt::format("{}: A took {}; B {}\n", printable(s.subject.mode), printable(s.chosen_before),
                          printable(s.chosen_after));
    for (const std::string& doubt : s.doubts)
      text += fmt::format("{} in {}\n", printable(s.subject.mode), printable(doubt));
    if (s.is_below(c.min_ratio) && !s.fails(c.min_ratio))
      text += fmt::format(
          "{}: below {:g}, but the times are too noisy to tell that from chance: measure longer (--min-repetitions, --max-seconds)\n",
          printable(s.subject.mode), c.min_ratio);
  }
  for (const std::string& note : c.notes) text += "note: " + printable(note) + "\n";
  for (const std::string& only : c.only_before) text += "only in A: " + printable(only) + "\n";
  for (const std::string& only : c.only_after) text += "only in B: " + printable(only) + "\n";
  return text;
}

std::string to_json(const Comparison& c) {
  Json json = {
      {"before", c.before}, {"after", c.after}, {"min_ratio", c.min_ratio}, {"below_min_ratio", c.fails()}};
  json["series"] = Json::array();
  for (const ComparedSeries& s : c.series) {
    Json row;
    for (const auto& [name, part] : subject_columns) row[name] = s.subject.*part;
    row["before_median_s"] = s.before_s;
    row["after_median_s"] = s.after_s;
    row["ratio"] = s.speed.ratio;
    row["ratio_low"] = s.speed.low;
    row["ratio_high"] = s.speed.high;
    row["below_min_ratio"] = s.fails(c.min_ratio);
    row["chosen_before"] = s.chosen_before;
    row["chosen_after"] = s.chosen_after;
    row["marks"] = s.doubts;
    json["series"].push_back(row);
  }
  json["differences"] = Json::array();
  for (const Difference& d : c.differences)
    json["differences"].push_back({{"name", d.name}, {"before", d.before}, {"after", d.after}});
  json["only_before"] = c.only_before;
  json["only_after"] = c.only_after;
  json["notes"] = c.notes;
  return text_of(json, 2);
}

}  // namespace spmv
