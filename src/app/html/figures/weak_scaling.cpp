#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/figures/scaling_series.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

Axis time_axis(const Scaling& scaling) {
  double longest = 0;
  for (const auto& [mode, points] : scaling.modes)
    for (const auto& [ranks, point] : points) longest = std::max(longest, point.median);
  Axis axis{Scale::from_0(longest), "time of a product", {}};
  for (const double tick : axis.scale.ticks()) axis.ticks.emplace_back(tick, seconds(tick));
  return axis;
}

}  // namespace

Drawing draw_weak_scaling(const std::vector<const Json*>& runs) {
  const std::optional<Scaling> scaling = scaling_of(runs);
  if (!scaling) return left_out("weak scaling needs results on at least two numbers of ranks");
  return {
      draw_charts(*scaling, {time_axis(*scaling),
                             "Time of a product over the number of ranks, by mode",
                             {scaling->base_median, scaling->base_median},
                             "ideal: as many nonzeros for each rank take as long on any number of ranks",
                             [](double, const ScalingPoint& point) { return point.median; },
                             "nonzeros",
                             [](double, const ScalingPoint& point) { return count(point.nonzeros); },
                             true}),
      fmt::format("On {} the fastest mode, {}, takes {} for a product, where the fastest on {} takes {}: an "
                  "efficiency of {}.",
                  plural(scaling->most(), "rank"), scaling->best_mode, seconds(scaling->best.median),
                  plural(scaling->fewest(), "rank"), seconds(scaling->base_median),
                  percent(scaling->best.efficiency))};
}

}  // namespace spmv::html
