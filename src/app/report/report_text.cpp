#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/report/mode_table.hpp"
#include "app/report/report.hpp"
#include "app/report/report_words.hpp"
#include "app/report/time_unit.hpp"
#include "app/report/wrap.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

std::string head(const RunReport& r) {
  std::string text = head_lines(r);
  text += paragraph("format", r.format + (r.tuning.automatic ? ", chosen for this matrix" : ""));
  if (r.columns > 1)
    text += paragraph("columns",
                      fmt::format("{}, for {} of which the matrix is read once; times are of all of them",
                                  r.columns, r.columns_together ? "all" : "each"));
  if (r.partition.halo_total > 0) text += paragraph("transport", transports_taken(r));
  return text;
}

TimeUnit unit_for(const RunReport& r) {
  double longest = 0;
  for (const ModeResult& mode : r.modes) longest = std::max(longest, mode.median_high_s);
  return TimeUnit(longest);
}

/// "un" for a series that is unsettled and noisy.
std::string marks_of(const ModeResult& mode) {
  std::string letters;
  for (const std::string& mark : mode.marks) letters += mark.front();
  return letters;
}

/// A line of '#' as long as a time is against the longest one's.
std::string bar(double seconds, double longest, std::size_t columns) {
  if (!(longest > 0)) return {};
  const double share = std::round(static_cast<double>(columns) * seconds / longest);
  return std::string(std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, columns), '#');
}

std::string table(const RunReport& r) {
  using Mode = const ModeResult&;
  constexpr std::size_t last_column = 11;
  const TimeUnit unit = unit_for(r);
  const auto in_unit = [=](double seconds) { return unit.text(seconds); };
  double longest = 0;
  for (const ModeResult& mode : r.modes) longest = std::max(longest, mode.median_s);
  std::vector<ModeColumn> columns = {
      {"mode", "{:<7}", [](Mode m) { return m.mode; }},
      {unit.name(), "{:>8} ", [=](Mode m) { return in_unit(m.median_s); }},
      {"95 % interval", "{:>15} ",
       [=](Mode m) { return in_unit(m.median_low_s) + "-" + in_unit(m.median_high_s); }},
      {"", "{:<4}", [](Mode m) { return marks_of(m); }},
      {"GB/s", "{:>7} ", [](Mode m) { return m.gbytes_per_s > 0 ? digits(m.gbytes_per_s) : "-"; }},
      {"hidden", "{:>6}  ", [&](Mode m) { return hidden_percent(r, m); }},
      {"layout", "{:<6} ", [](Mode m) { return m.layout; }},
      {"result", "{:<9} ", [](Mode m) { return verdict(m); }},
  };
  const bool several = several_transports(r);
  if (several)
    columns.push_back({"transport", "{}", [](Mode m) { return (m.chosen ? "*" : "") + m.transport; }});
  else if (r.columns > 1)  // lines have no room for more
    columns.push_back({"a column", "{:>8}", [=, &r](Mode m) { return in_unit(m.median_s / r.columns); }});
  else
    columns.push_back({"time", "{}", [=](Mode m) { return bar(m.median_s, longest, last_column); }});
  std::string text = mode_table(columns, r.modes);
  if (several && std::any_of(r.modes.begin(), r.modes.end(), [](Mode m) { return m.chosen; }))
    text += "* chosen by --transport auto\n";
  return text;
}

/// What the marks of the table are and where they come from, if there are any.
std::string marks_explained(const RunReport& r) {
  std::string names, causes;
  for (const ModeResult& mode : r.modes) {
    for (const std::string& mark : mode.marks) {
      const std::string one = fmt::format("{} {}", mark.front(), mark);
      if (names.find(one) == std::string::npos) names += (names.empty() ? "" : ", ") + one;
    }
    if (!mode.marks.empty() && causes.find(mode.marks_cause) == std::string::npos)
      causes += (causes.empty() ? "" : " or ") + mode.marks_cause;
  }
  return names.empty() ? "" : wrapped("", names + ": " + causes);
}

std::string left_out(const RunReport& r) {
  std::string text;
  for (const LeftOut& left : r.left_out)
    text +=
        wrapped(fmt::format("{:<7}", left.mode.empty() ? "every" : left.mode),
                fmt::format("{} left out: {}", left.layout.empty() ? left.transport : "layout " + left.layout,
                            printable(left.reason)));
  return text;
}

std::string wrong(const RunReport& r) {
  std::string text;
  for (const ModeResult& mode : r.modes)
    if (mode.rows_wrong > 0) text += wrapped("", what_is_wrong(r, mode));
  return text;
}

}  // namespace

std::string to_text(const RunReport& report) {
  const std::string ending = report.incomplete.empty() ? "" : wrapped("", why_incomplete(report));
  return head(report) + "\n" + table(report) + left_out(report) + marks_explained(report) +
         (not_in_turns(report).empty() ? "" : wrapped("", not_in_turns(report))) + wrong(report) + ending +
         "More: --verbose for phases, transports tried and the model; --json, --csv.\n";
}

}  // namespace spmv
