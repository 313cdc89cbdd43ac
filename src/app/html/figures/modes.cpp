#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"
#include "app/report/hidden.hpp"

namespace spmv::html {
namespace {

constexpr std::size_t most_bars = 64;

/// What the line on a bar spans.
struct Range {
  double low = 0;
  double high = 0;
  bool interval =
      false;  // the confidence interval of the median; otherwise from the minimum to the 95th percentile
};

std::optional<Range> range_of(const Json& mode) {
  const auto low = number(mode, "median_low_s"), high = number(mode, "median_high_s");
  if (low && high && *low > 0 && *high >= *low) return Range{*low, *high, true};
  const auto least = number(mode, "min_s"), p95 = number(mode, "p95_s");
  if (least && p95 && *least > 0 && *p95 >= *least) return Range{*least, *p95, false};
  return std::nullopt;
}

std::string marks_of(const Json& mode) {
  std::string words;
  for (const Json& mark : member(mode, "marks"))
    if (mark.is_string()) words += (words.empty() ? "" : ", ") + mark.get<std::string>();
  if (words.empty()) words = text(mode, "marks");
  const bool has_marks = member(mode, "marks").is_array();
  if (!has_marks && member(mode, "settled").is_boolean() && !member(mode, "settled").get<bool>())
    words = "not settled";
  // What a file without marks has to go by.
  constexpr double long_wait = 0.1;
  if (const double waited = number_or_0(mode, "waited_for_core"); !has_marks && waited > long_wait)
    words +=
        fmt::format("{}a thread had no core for {} of the time", words.empty() ? "" : ", ", percent(waited));
  // The reason is a sentence of its own in the table; here it stands inside another one.
  std::string reason = text(mode, "marks_reason");
  if (reason.ends_with('.')) reason.pop_back();
  return reason.empty() || words.empty() ? words : words + ": " + reason;
}

std::string verdict_of(const Json& mode) {
  const Json& verified = member(mode, "verified");
  if (number_or_0(mode, "rows_wrong") > 0) return "WRONG: " + plural(number_or_0(mode, "rows_wrong"), "row");
  return verified.is_boolean() && verified.get<bool>() ? "correct" : "not verified";
}

/// A bar as wide as its share of `longest`, with its range.
std::string bar(double median, const std::optional<Range>& range, double longest, const std::string& kind,
                const std::string& title) {
  std::string line;
  if (range) {
    const auto stroke = [&](double from, double to, int top, int bottom) {
      line += fmt::format(R"(<line class="whisker" x1="{}" x2="{}" y1="{}%" y2="{}%"/>)",
                          place(from / longest), place(to / longest), top, bottom);
    };
    stroke(range->low, range->high, 50, 50);
    stroke(range->low, range->low, 25, 75);
    if (range->high <= longest)
      stroke(range->high, range->high, 25, 75);  // otherwise it goes on beyond the figure
  }
  return fmt::format(
      R"(<svg width="100%" height="22"><rect class="{}" y="3" height="16" width="{}"><title>{}</title></rect>{}</svg>)",
      kind, place(median / longest), escape(title), line);
}

/// "the two ranges do not overlap", or what else there is to say of the two fastest.
std::string comparison(const Json& run, const Json& first, const Json& second) {
  const auto a = range_of(first), b = range_of(second);
  const double ratio = number_or_0(second, "median_s") / number_or_0(first, "median_s");
  std::string says =
      fmt::format("; {}, the next, takes {} times as long", mode_title(run, second), digits(ratio));
  if (a && b && a->interval && b->interval)
    says += a->high < b->low ? ", and the intervals of the two do not overlap"
                             : ", but the intervals of the two overlap, so that either may be the faster one";
  return says;
}

std::string all_numbers(const Json& run) {
  std::vector<std::vector<std::string>> rows = {{"mode", "transport", "layout", "median", "95 % interval",
                                                 "min", "p95", "GF/s", "GB/s", "halo hidden", "result",
                                                 "remarks"}};
  for (const Json& mode : member(run, "modes")) {
    if (rows.size() > most_bars) break;
    const auto time = [&](const char* key) {
      const auto s = number(mode, key);
      return s ? seconds(*s) : std::string("–");
    };
    const auto rate = [&](const char* key) {
      return number_or_0(mode, key) > 0 ? digits(number_or_0(mode, key)) : std::string("–");
    };
    const auto range = range_of(mode);
    const auto hidden = hidden_share(member(run, "partition"), mode);
    rows.push_back({escape(text(mode, "mode")), escape(text(mode, "transport")), escape(text(mode, "layout")),
                    time("median_s"),
                    range && range->interval ? seconds(range->low) + " to " + seconds(range->high) : "–",
                    time("min_s"), time("p95_s"), rate("gflops"), rate("effective_gbytes_per_s"),
                    hidden ? percent(*hidden) : "–", escape(verdict_of(mode)), escape(marks_of(mode))});
  }
  return "<details><summary>All numbers</summary>" + table(rows) + "</details>\n";
}

std::string not_measured(const Json& run) {
  std::string items;
  std::size_t shown = 0;
  for (const Json& left : member(run, "left_out")) {
    if (++shown > most_bars) break;
    std::string what = text(left, "mode").empty() ? "all modes" : text(left, "mode");
    if (!text(left, "transport").empty()) what += " over " + text(left, "transport");
    if (!text(left, "layout").empty()) what += " in layout " + text(left, "layout");
    items += "<li>" + escape(what + ": " + text(left, "reason")) + "</li>";
  }
  return items.empty() ? items : "<details><summary>Not measured</summary><ul>" + items + "</ul></details>\n";
}

}  // namespace

Drawing draw_modes(const Json& run) {
  const std::vector<const Json*> modes = timed_modes(run);
  if (modes.empty()) return left_out("no mode of this run has a time");
  double longest = 0;
  bool intervals = true;
  for (const Json* mode : modes) {
    const auto range = range_of(*mode);
    longest = std::max({longest, number_or_0(*mode, "median_s"), range ? range->high : 0});
    intervals = intervals && range && range->interval;
  }
  // A few outliers must not make all bars short.
  longest = std::min(longest, 2 * number_or_0(*modes.back(), "median_s"));
  std::string bars;
  for (std::size_t i = 0; i < modes.size() && i < most_bars; ++i) {
    const Json& mode = *modes[i];
    const double median = number_or_0(mode, "median_s");
    const auto range = range_of(mode);
    std::string title = fmt::format("{}: median {}", mode_title(run, mode), seconds(median));
    if (range)
      title += fmt::format(", {} {} to {}", range->interval ? "95 % interval" : "minimum to p95",
                           seconds(range->low), seconds(range->high));
    const std::string marks = marks_of(mode);
    bars += fmt::format(R"(<div class="name">{}{}</div><div>{}</div><div class="value">{}</div>)",
                        escape(mode_title(run, mode)),
                        marks.empty() ? "" : fmt::format(R"( <abbr title="{}">*</abbr>)", escape(marks)),
                        bar(median, range, longest,
                            number_or_0(mode, "rows_wrong") > 0 ? "wrong"
                            : i == 0                            ? "best"
                                                                : "other",
                            title),
                        seconds(median));
  }
  const Json& fastest = *modes.front();
  std::string says = fmt::format("Fastest here is {} with {} for a product", mode_title(run, fastest),
                                 seconds(number_or_0(fastest, "median_s")));
  if (number_or_0(fastest, "gflops") > 0)
    says += fmt::format(", {} GF/s", digits(number_or_0(fastest, "gflops")));
  if (modes.size() > 1) says += comparison(run, fastest, *modes[1]);
  says +=
      intervals
          ? ". Lines are the 95 % confidence intervals of the medians."
          : ". Lines go from the minimum to the 95th percentile where the file has no confidence interval of the median.";
  std::string marked;
  for (const Json* mode : modes)
    if (!marks_of(*mode).empty())
      marked += (marked.empty() ? " Not to be relied upon (*): " : "; ") + mode_title(run, *mode) + " (" +
                marks_of(*mode) + ")";
  if (!marked.empty()) says += marked + ".";
  if (modes.size() > most_bars)
    says += fmt::format(" The {} fastest of {} are shown.", most_bars, modes.size());
  return {"<div class=\"bars\">" + bars + "</div>\n" + all_numbers(run) + not_measured(run), says};
}

}  // namespace spmv::html
