#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/figures/scaling_series.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

/// Nonzeros per second and rank: what would stay as it is, were the scaling ideal.
double rate(double ranks, const ScalingPoint& point) {
  return std::max(1.0, point.nonzeros) / point.median / ranks;
}

}  // namespace

Drawing draw_weak_scaling(const std::vector<const Json*>& runs) {
  const ScalingSeries series = scaling_series(runs);
  const std::set<double> counts = rank_counts(series);
  if (counts.size() < 2) return left_out("weak scaling needs results on at least two numbers of ranks");
  const double fewest = *counts.begin(), most = *counts.rbegin();
  double base_rate = 0, base_time = 0, longest = 0;
  for (const auto& [mode, points] : series)
    for (const auto& [ranks, point] : points) {
      longest = std::max(longest, point.median);
      if (ranks != fewest || rate(ranks, point) <= base_rate) continue;
      base_rate = rate(ranks, point);
      base_time = point.median;
    }
  double best_efficiency = 1;
  for (const auto& [mode, points] : series)
    for (const auto& [ranks, point] : points)
      best_efficiency = std::max(best_efficiency, rate(ranks, point) / base_rate);

  const Axis x = ranks_axis(counts);
  Axis time{Scale::from_0(longest), "time of a product", {}};
  for (const double tick : time.scale.ticks()) time.ticks.emplace_back(tick, seconds(tick));
  Axis share{Scale::from_0(best_efficiency), "efficiency", {}};
  for (const double tick : share.scale.ticks()) share.ticks.emplace_back(tick, percent(tick));
  Chart times(x, time, 280), efficiencies(x, share, 180);
  times.line(fewest, base_time, most, base_time, "ideal",
             "ideal: as many nonzeros for each rank take as long on any number of ranks");
  efficiencies.line(fewest, 1, most, 1, "ideal", "ideal");

  std::vector<std::pair<std::string, std::string>> words;
  std::vector<std::vector<std::string>> rows = {{"mode", "ranks", "nonzeros", "median", "efficiency", "how"}};
  std::string best_mode;
  double best_time = 0, best_share = 0;
  std::size_t colour = 0;
  for (const auto& [mode, points] : series) {
    const std::string kind = series_class(colour++);
    words.emplace_back(kind, mode);
    std::vector<std::pair<double, double>> time_line, share_line;
    for (const auto& [ranks, point] : points) {
      const double efficiency = rate(ranks, point) / base_rate;
      time_line.emplace_back(ranks, point.median);
      share_line.emplace_back(ranks, efficiency);
      if (ranks == most && efficiency > best_share) {
        best_mode = mode;
        best_time = point.median;
        best_share = efficiency;
      }
      if (rows.size() <= 200)
        rows.push_back({escape(mode), count(ranks), count(point.nonzeros), seconds(point.median),
                        percent(efficiency), escape(point.how)});
      const std::string title = fmt::format("{} on {}, {}: {}, efficiency {}; {}", mode,
                                            plural(ranks, "rank"), plural(point.nonzeros, "nonzero"),
                                            seconds(point.median), percent(efficiency), point.how);
      times.point(ranks, point.median, kind, title);
      efficiencies.point(ranks, efficiency, kind, title);
    }
    times.polyline(time_line, kind);
    efficiencies.polyline(share_line, kind);
  }
  words.emplace_back("ideal", "ideal");
  return {
      legend(words) + times.html("Time of a product over the number of ranks, by mode") +
          efficiencies.html("Efficiency over the number of ranks, by mode") +
          "<details><summary>All numbers</summary>" + table(rows) + "</details>\n",
      fmt::format("On {} the fastest mode, {}, takes {} for a product, where the fastest on {} takes {}: an "
                  "efficiency of {}.",
                  plural(most, "rank"), best_mode, seconds(best_time), plural(fewest, "rank"),
                  seconds(base_time), percent(best_share))};
}

}  // namespace spmv::html
