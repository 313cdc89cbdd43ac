#include "app/html/figures/scaling_series.hpp"

#include <fmt/format.h>

#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {

ScalingSeries scaling_series(const std::vector<const Json*>& runs) {
  ScalingSeries series;
  constexpr std::size_t most_series = 16;
  for (const Json* run : runs) {
    if (ranks_of(*run) < 1) continue;
    for (const Json* mode : timed_modes(*run)) {
      const std::string name = text(*mode, "mode");
      if (series.size() >= most_series && !series.contains(name)) continue;
      const double median = number_or_0(*mode, "median_s");
      ScalingPoint& point = series[name][ranks_of(*run)];
      if (point.median > 0 && point.median <= median) continue;
      point = {median, matrix_of(*run).nonzeros,
               fmt::format("transport {}, format {}", text(*mode, "transport"),
                           text(member(*run, "format"), "interior"))};
    }
  }
  return series;
}

std::set<double> rank_counts(const ScalingSeries& series) {
  std::set<double> counts;
  for (const auto& [mode, points] : series)
    for (const auto& [ranks, point] : points) counts.insert(ranks);
  return counts;
}

Axis ranks_axis(const std::set<double>& counts) {
  Axis axis{Scale::logarithmic(*counts.begin(), *counts.rbegin(), 1.1), "ranks", {}};
  constexpr std::size_t most_ticks = 12;
  std::size_t number = 0;
  for (const double ranks : counts)
    if (number++ % ((counts.size() + most_ticks - 1) / most_ticks) == 0)
      axis.ticks.emplace_back(ranks, count(ranks));
  return axis;
}

}  // namespace spmv::html
