#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

constexpr std::size_t most_timelines = 8;
constexpr std::size_t most_ranks = 16;
constexpr std::size_t most_spans = 16;

struct Span {
  std::string phase;
  double begin;
  double end;
};

std::vector<Span> spans_of(const Json& rank) {
  std::vector<Span> spans;
  for (const Json& span : member(rank, "spans")) {
    if (!span.is_array() || span.size() != 3 || !span[0].is_string() || spans.size() >= most_spans) continue;
    const auto begin = number(span[1]), end = number(span[2]);
    if (begin && end && *end >= *begin && *end >= 0)
      spans.push_back({span[0].get<std::string>(), std::max(0.0, *begin), *end});
  }
  return spans;
}

/// The phases of the halo's way; all others compute.
bool of_halo(const std::string& phase) {
  return phase == "gather" || phase == "d2h" || phase == "mpi" || phase == "h2d" || phase == "upload_x" ||
         phase == "download_y";
}

/// The class that gives a phase its colour: names come from files.
std::string phase_class(const std::string& phase) {
  const bool plain = !phase.empty() && std::all_of(phase.begin(), phase.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? "phase-" + phase : "phase-other";
}

std::string title_of(const Json& timeline, std::size_t same_mode) {
  std::string title = text(timeline, "mode");
  if (same_mode > 1) title += " over " + text(timeline, "transport");
  return title + ", layout " + text(timeline, "layout");
}

std::vector<const Json*> timelines_of(const Json& run) {
  std::vector<const Json*> found;
  for (const Json& timeline : member(member(run, "pictures"), "timelines"))
    if (!member(timeline, "ranks").empty()) found.push_back(&timeline);
  return found;
}

double end_of(const std::vector<const Json*>& timelines) {
  double end = 0;
  for (const Json* timeline : timelines)
    for (const Json& rank : member(*timeline, "ranks"))
      for (const Span& span : spans_of(rank)) end = std::max(end, span.end);
  return end;
}

/// When the first and the last rank shown are through, and with what.
struct Ends {
  double first = 0;
  double last = 0;
  std::string last_phase;
};

Ends ends_of(const Json& timeline) {
  Ends ends;
  bool any = false;
  for (const Json& rank : member(timeline, "ranks")) {
    double end = 0;
    for (const Span& span : spans_of(rank)) {
      if (span.end > ends.last) {
        ends.last = span.end;
        ends.last_phase = span.phase;
      }
      end = std::max(end, span.end);
    }
    ends.first = any ? std::min(ends.first, end) : end;
    any = true;
  }
  return ends;
}

std::string says_of(const std::vector<const Json*>& timelines) {
  std::string says = "The product of median length ends";
  const Json* uneven = nullptr;
  double wait = 0;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const Ends ends = ends_of(*timelines[i]);
    says += fmt::format("{} after {} in {} ({} last)",
                        i == 0                      ? ""
                        : i + 1 == timelines.size() ? " and"
                                                    : ",",
                        seconds(ends.last), text(*timelines[i], "mode"), ends.last_phase);
    if (ends.last - ends.first > wait) {
      uneven = timelines[i];
      wait = ends.last - ends.first;
    }
  }
  if (uneven != nullptr && member(*uneven, "ranks").size() > 1)
    says += fmt::format(
        ". Ranks are least even in {}, where the first of those shown is through after {}, {} before the last",
        text(*uneven, "mode"), seconds(ends_of(*uneven).first), seconds(wait));
  return says + ".";
}

}  // namespace

Drawing draw_timeline(const Json& run) {
  std::vector<const Json*> timelines = timelines_of(run);
  const std::size_t all = timelines.size();
  if (timelines.size() > most_timelines) timelines.resize(most_timelines);
  const double end = end_of(timelines);
  if (end <= 0) return left_out(no_pictures);
  constexpr int lane = 12, gap = 8, head = 22;
  std::string labels, drawn;
  std::set<std::string> phases;
  int top = 0;
  for (const Json* timeline : timelines) {
    const auto same =
        static_cast<std::size_t>(std::count_if(timelines.begin(), timelines.end(), [&](const Json* other) {
          return text(*other, "mode") == text(*timeline, "mode");
        }));
    labels += fmt::format(R"(<span class="mode" style="top:{}px">{}</span>)", top,
                          escape(title_of(*timeline, same)));
    top += head;
    std::size_t shown = 0;
    for (const Json& rank : member(*timeline, "ranks")) {
      if (++shown > most_ranks) break;
      const std::string name = fmt::format("rank {}", count(number_or_0(rank, "rank")));
      labels += fmt::format(R"(<span style="top:{}px">{}</span>)", top, name);
      for (const Span& span : spans_of(rank)) {
        phases.insert(span.phase);
        drawn += fmt::format(
            R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>)",
            phase_class(span.phase), place(span.begin / end), top + (of_halo(span.phase) ? lane : 0),
            place((span.end - span.begin) / end), lane - 1,
            escape(fmt::format("{}, {}, {}: {}, from {} to {}", text(*timeline, "mode"), name, span.phase,
                               seconds(span.end - span.begin), seconds(span.begin), seconds(span.end))));
      }
      top += 2 * lane + gap;
    }
  }
  std::string ticks;
  for (int level = 1; level <= 16; level *= 4)  // more of them where there is more room
    for (int k = 0; k <= 4 * level; ++k) {
      if (level > 1 && k % 4 == 0) continue;
      const double share = k / (4.0 * level);
      ticks += fmt::format(R"(<span class="level{}" style="left:{}">{}</span>)", level, place(share),
                           seconds(end * share));
    }
  std::vector<std::pair<std::string, std::string>> words;
  words.reserve(phases.size());
  for (const std::string& phase : phases) words.emplace_back(phase_class(phase), phase);
  Drawing drawing;
  drawing.says = says_of(timelines);
  if (all > timelines.size())
    drawing.says += fmt::format(" {} of {} timelines are shown.", timelines.size(), all);
  drawing.markup =
      legend(words) +
      fmt::format(
          "<div class=\"chart timeline\" data-zooms role=\"img\" aria-label=\"{}\"><div class=\"frame\"><div class=\"ys\" style=\"height:{}px\">{}</div>"
          "<div class=\"window\"><div class=\"wide\"><svg width=\"100%\" height=\"{}\">{}</svg><div class=\"xs\">{}</div></div></div></div></div>\n",
          "Phases of one product over time, by mode and rank", top, labels, top, drawn, ticks);
  return drawing;
}

}  // namespace spmv::html
