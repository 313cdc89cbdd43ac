#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/figures/scaling_series.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

/// Speed-up over the fastest product on the fewest ranks, and what became of it for each rank.
struct Relative {
  double ranks;
  double median;
  double speedup(double seconds) const { return median / seconds * ranks; }
  double efficiency(double on_ranks, double seconds) const { return speedup(seconds) / on_ranks; }
};

}  // namespace

Drawing draw_scaling(const std::vector<const Json*>& runs) {
  const ScalingSeries series = scaling_series(runs);
  const std::set<double> counts = rank_counts(series);
  if (counts.size() < 2)
    return left_out("strong scaling needs results of one matrix on at least two numbers of ranks");
  Relative base{*counts.begin(), 0};
  for (const auto& [mode, points] : series)
    if (const auto found = points.find(base.ranks);
        found != points.end() && (base.median == 0 || found->second.median < base.median))
      base.median = found->second.median;
  double slowest = 1, fastest = 1, best_efficiency = 1;
  for (const auto& [mode, points] : series)
    for (const auto& [ranks, point] : points) {
      slowest = std::min(slowest, base.speedup(point.median));
      fastest = std::max(fastest, base.speedup(point.median));
      best_efficiency = std::max(best_efficiency, base.efficiency(ranks, point.median));
    }
  const double most = *counts.rbegin();
  const Axis x = ranks_axis(counts);
  Axis y{Scale::logarithmic(slowest, std::max(fastest, most), 1.1), "", {}};
  y.title = base.ranks == 1
                ? "times as fast as one rank"
                : fmt::format("speed-up; {} count as {}", plural(base.ranks, "rank"), count(base.ranks));
  for (const double tick : y.scale.ticks()) y.ticks.emplace_back(tick, fmt::format("{:g}", tick));
  Axis share{Scale::from_0(best_efficiency), "efficiency", {}};
  for (const double tick : share.scale.ticks()) share.ticks.emplace_back(tick, percent(tick));
  Chart speed(x, y, 280), efficiency(x, share, 180);
  speed.line(base.ranks, base.ranks, most, most, "ideal", "ideal: twice the ranks, half the time");
  efficiency.line(base.ranks, 1, most, 1, "ideal", "ideal");
  efficiency.line(base.ranks, 0.5, most, 0.5, "bound", "half of the ranks would do as much, were they ideal");
  std::vector<std::pair<std::string, std::string>> words;
  std::string best_mode;
  double best_time = 0;
  std::vector<std::vector<std::string>> rows = {{"mode", "ranks", "median", "speed-up", "efficiency", "how"}};
  std::size_t colour = 0;
  for (const auto& [mode, points] : series) {
    const std::string kind = series_class(colour++);
    words.emplace_back(kind, mode);
    std::vector<std::pair<double, double>> speeds, efficiencies;
    for (const auto& [ranks, point] : points) {
      speeds.emplace_back(ranks, base.speedup(point.median));
      efficiencies.emplace_back(ranks, base.efficiency(ranks, point.median));
      if (ranks == most && (best_time == 0 || point.median < best_time)) {
        best_time = point.median;
        best_mode = mode;
      }
      if (rows.size() <= 200)
        rows.push_back({escape(mode), count(ranks), seconds(point.median), digits(speeds.back().second),
                        percent(efficiencies.back().second), escape(point.how)});
    }
    speed.polyline(speeds, kind);
    efficiency.polyline(efficiencies, kind);
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const ScalingPoint& point = points.at(speeds[i].first);
      const std::string title =
          fmt::format("{} on {}: {}, efficiency {}; {}", mode, plural(speeds[i].first, "rank"),
                      seconds(point.median), percent(efficiencies[i].second), point.how);
      speed.point(speeds[i].first, speeds[i].second, kind, title);
      efficiency.point(speeds[i].first, efficiencies[i].second, kind, title);
    }
  }
  std::string says = fmt::format(
      "On {} the fastest mode, {}, takes {} for a product, {} times as fast as the fastest on {}: an efficiency of {}",
      plural(most, "rank"), best_mode, seconds(best_time), digits(base.median / best_time),
      plural(base.ranks, "rank"), percent(base.efficiency(most, best_time)));
  double half = 0;  // most ranks on which some mode still has half of the ideal
  for (const auto& [mode, points] : series)
    for (const auto& [ranks, point] : points)
      if (base.efficiency(ranks, point.median) >= 0.5) half = std::max(half, ranks);
  says += half >= most ? "; no number of ranks here is below 50 %."
                       : fmt::format("; beyond {} no mode has 50 %.", plural(half, "rank"));
  words.emplace_back("ideal", "ideal");
  return {legend(words) + speed.html("Speed-up over the number of ranks, by mode") +
              efficiency.html("Efficiency over the number of ranks, by mode") +
              "<details><summary>All numbers</summary>" + table(rows) + "</details>\n",
          says};
}

}  // namespace spmv::html
