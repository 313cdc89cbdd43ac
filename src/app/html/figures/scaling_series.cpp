#include "app/html/figures/scaling_series.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

/// Logarithmic, with a tick for every count, or where they are many for some.
Axis ranks_axis(const std::set<double>& counts) {
  Axis axis{Scale::logarithmic(*counts.begin(), *counts.rbegin(), 1.1), "ranks", {}};
  constexpr std::size_t most_ticks = 12;
  std::size_t number = 0;
  for (const double ranks : counts)
    if (number++ % ((counts.size() + most_ticks - 1) / most_ticks) == 0)
      axis.ticks.emplace_back(ranks, count(ranks));
  return axis;
}

Axis efficiency_axis(const Scaling& scaling) {
  double best = 1;
  for (const auto& [mode, points] : scaling.modes)
    for (const auto& [ranks, point] : points) best = std::max(best, point.efficiency);
  Axis axis{Scale::from_0(best), "efficiency", {}};
  for (const double tick : axis.scale.ticks()) axis.ticks.emplace_back(tick, percent(tick));
  return axis;
}

/// Efficiencies become shares of the highest on the fewest ranks.
void compare_with_fewest(Scaling& scaling) {
  double base = 0;
  for (const auto& [mode, points] : scaling.modes) {
    const auto found = points.find(scaling.fewest());
    if (found == points.end() || found->second.efficiency <= base) continue;
    base = found->second.efficiency;
    scaling.base_median = found->second.median;
  }
  for (auto& [mode, points] : scaling.modes)
    for (auto& [ranks, point] : points) {
      point.efficiency /= base;
      if (ranks != scaling.most() || point.efficiency <= scaling.best.efficiency) continue;
      scaling.best_mode = mode;
      scaling.best = point;
    }
}

}  // namespace

std::optional<Scaling> scaling_of(const std::vector<const Json*>& runs) {
  Scaling scaling;
  constexpr std::size_t most_modes = 16;
  for (const Json* run : runs) {
    const double ranks = ranks_of(*run);
    if (ranks < 1) continue;
    for (const Json* mode : timed_modes(*run)) {
      const std::string name = text(*mode, "mode");
      if (scaling.modes.size() >= most_modes && !scaling.modes.contains(name)) continue;
      const double median = number_or_0(*mode, "median_s");
      ScalingPoint& point = scaling.modes[name][ranks];
      if (point.median > 0 && point.median <= median) continue;
      const double nonzeros = matrix_of(*run).nonzeros;
      point = {median, nonzeros, std::max(1.0, nonzeros) / median / ranks,
               fmt::format("transport {}, format {}", text(*mode, "transport"),
                           text(member(*run, "format"), "interior"))};
      scaling.counts.insert(ranks);
    }
  }
  if (scaling.counts.size() < 2) return {};
  compare_with_fewest(scaling);
  return scaling;
}

std::string draw_charts(const Scaling& scaling, const ScalingChart& chart) {
  const double fewest = scaling.fewest(), most = scaling.most();
  const Axis x = ranks_axis(scaling.counts);
  Chart upper(x, chart.axis, 280), efficiency(x, efficiency_axis(scaling), 180);
  upper.line(fewest, chart.ideal.first, most, chart.ideal.second, "ideal", chart.ideal_title);
  efficiency.line(fewest, 1, most, 1, "ideal", "ideal");
  efficiency.line(fewest, 0.5, most, 0.5, "bound", "half of the ranks would do as much, were they ideal");

  std::vector<std::pair<std::string, std::string>> words;
  constexpr std::size_t most_rows = 200;
  std::vector<std::vector<std::string>> rows = {
      {"mode", "ranks", chart.column, "median", "efficiency", "how"}};
  std::size_t colour = 0;
  for (const auto& [mode, points] : scaling.modes) {
    const std::string kind = series_class(colour++);
    words.emplace_back(kind, mode);
    std::vector<std::pair<double, double>> heights, efficiencies;
    for (const auto& [ranks, point] : points) {
      heights.emplace_back(ranks, chart.height(ranks, point));
      efficiencies.emplace_back(ranks, point.efficiency);
      if (rows.size() <= most_rows)
        rows.push_back({escape(mode), count(ranks), chart.entry(ranks, point), seconds(point.median),
                        percent(point.efficiency), escape(point.how)});
    }
    upper.polyline(heights, kind);
    efficiency.polyline(efficiencies, kind);
    for (const auto& [ranks, height] : heights) {
      const ScalingPoint& point = points.at(ranks);
      const std::string title = fmt::format("{} on {}{}: {}, efficiency {}; {}", mode, plural(ranks, "rank"),
                                            chart.grows ? ", " + plural(point.nonzeros, "nonzero") : "",
                                            seconds(point.median), percent(point.efficiency), point.how);
      upper.point(ranks, height, kind, title);
      efficiency.point(ranks, point.efficiency, kind, title);
    }
  }
  words.emplace_back("ideal", "ideal");
  return legend(words) + upper.html(chart.label) +
         efficiency.html("Efficiency over the number of ranks, by mode") +
         "<details><summary>All numbers</summary>" + table(rows) + "</details>\n";
}

}  // namespace spmv::html
