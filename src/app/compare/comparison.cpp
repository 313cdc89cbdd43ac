#include "app/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/statistics.hpp"

namespace spmv {
namespace {

using Part = std::string Subject::*;

std::string describe(const Subject& s) {
  return fmt::format("mode {} over {}, format {}, partition {}, {} ranks, {}", s.mode, s.transport, s.format,
                     s.partition, s.ranks, s.matrix);
}

/// The values that a file has of one part of its subjects.
std::set<std::string> values(const ResultsFile& file, Part part) {
  std::set<std::string> all;
  for (const MeasuredSeries& series : file.series) all.insert(series.subject.*part);
  return all;
}

/// Where each file has another format, and no second one, the formats are what is to be compared.
void match_single_values(ResultsFile& before, ResultsFile& after, std::vector<Difference>& differences) {
  const std::pair<const char*, Part> may_differ[] = {
      {"partition", &Subject::partition}, {"format", &Subject::format}, {"transport", &Subject::transport}};
  for (const auto& [name, part] : may_differ) {
    const std::set<std::string> a = values(before, part), b = values(after, part);
    if (a.size() != 1 || b.size() != 1 || a == b) continue;
    differences.push_back({name, *a.begin(), *b.begin()});
    const std::string both = *a.begin() + " | " + *b.begin();
    for (ResultsFile* file : {&before, &after})
      for (MeasuredSeries& series : file->series) series.subject.*part = both;
  }
}

ComparedSeries compared(const MeasuredSeries& before, const MeasuredSeries& after) {
  ComparedSeries row;
  row.subject = before.subject;
  row.before_s = median(before.samples_s);
  row.after_s = median(after.samples_s);
  row.speed = median_ratio(before.samples_s, after.samples_s);
  row.chosen_before = before.chosen;
  row.chosen_after = after.chosen;
  for (const auto& [name, series] : {std::pair("A", &before), std::pair("B", &after)})
    if (!series->marks.empty() || !series->marks_reason.empty())
      row.doubts.push_back(fmt::format("{}: {}{}{}", name, fmt::join(series->marks, ", "),
                                       series->marks_reason.empty() ? "" : ": ", series->marks_reason));
  // Where a machine's memory was faster at one time than at another, all that it carries was.
  const double spread = std::max(before.bandwidth_spread, after.bandwidth_spread);
  if ((row.is_slower() || row.is_faster()) && std::abs(row.speed.ratio - 1) <= spread)
    row.doubts.push_back(fmt::format(
        "A and B: the difference may be the machine's, whose own copies varied by {:.0f} % in A and {:.0f} % in B",
        100 * before.bandwidth_spread, 100 * after.bandwidth_spread));
  return row;
}

/// All values of every fact that the series have, in the order of their appearance.
std::map<std::string, std::string> facts_of(const std::vector<const MeasuredSeries*>& all) {
  std::map<std::string, std::vector<std::string>> known;
  for (const MeasuredSeries* series : all)
    for (const auto& [name, value] : *series->facts)
      if (std::vector<std::string>& list = known[name];
          std::find(list.begin(), list.end(), value) == list.end())
        list.push_back(value);
  std::map<std::string, std::string> joined;
  for (const auto& [name, list] : known) joined[name] = fmt::format("{}", fmt::join(list, " | "));
  return joined;
}

void add_differences(const std::vector<const MeasuredSeries*>& before,
                     const std::vector<const MeasuredSeries*>& after, std::vector<Difference>& differences) {
  const auto a = facts_of(before), b = facts_of(after);
  std::set<std::string> names;
  for (const auto& facts : {a, b})
    for (const auto& [name, value] : facts) names.insert(name);
  for (const std::string& name : names) {
    const auto in_a = a.find(name), in_b = b.find(name);
    const std::string old_value = in_a == a.end() ? "" : in_a->second,
                      new_value = in_b == b.end() ? "" : in_b->second;
    if (old_value != new_value) differences.push_back({name, old_value, new_value});
  }
}

void add_notes(const ResultsFile& file, const char* name, std::vector<std::string>& notes) {
  if (file.superseded > 0)
    notes.push_back(fmt::format("{} has {} older points with a newer one behind them; the last one counts",
                                name, file.superseded));
  if (!file.incomplete.empty()) notes.push_back(fmt::format("{} is incomplete: {}", name, file.incomplete));
}

}  // namespace

bool Comparison::fails() const {
  return std::any_of(series.begin(), series.end(),
                     [this](const ComparedSeries& s) { return s.fails(min_ratio); });
}

Comparison compare(ResultsFile before, ResultsFile after, double min_ratio) {
  Comparison result;
  result.before = before.path;
  result.after = after.path;
  result.min_ratio = min_ratio;
  const Subject first_before = before.series.front().subject, first_after = after.series.front().subject;
  match_single_values(before, after, result.differences);
  std::vector<const MeasuredSeries*> taken_before, taken_after;
  for (const MeasuredSeries& one : before.series) {
    const auto other =
        std::find_if(after.series.begin(), after.series.end(),
                     [&](const MeasuredSeries& series) { return series.subject == one.subject; });
    if (other == after.series.end()) {
      result.only_before.push_back(describe(one.subject));
      continue;
    }
    result.series.push_back(compared(one, *other));
    taken_before.push_back(&one);
    taken_after.push_back(&*other);
  }
  for (const MeasuredSeries& one : after.series)
    if (std::find(taken_after.begin(), taken_after.end(), &one) == taken_after.end())
      result.only_after.push_back(describe(one.subject));
  if (result.series.empty())
    throw Error(
        ExitCode::input,
        fmt::format(
            "{} and {} have no measurement in common, since matrix, ranks and mode must be the same: A has "
            "{}; B has {}",
            printable(before.path), printable(after.path), printable(describe(first_before)),
            printable(describe(first_after))));
  add_differences(taken_before, taken_after, result.differences);
  add_notes(before, "A", result.notes);
  add_notes(after, "B", result.notes);
  return result;
}

}  // namespace spmv
