#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/figures/scaling_series.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

/// As many ranks as would be as fast, were each of them as good as each of the fewest.
double speedup(double ranks, const ScalingPoint& point) {
  return point.efficiency * ranks;
}

Axis speedup_axis(const Scaling& scaling) {
  double slowest = 1, fastest = scaling.most();
  for (const auto& [mode, points] : scaling.modes)
    for (const auto& [ranks, point] : points) {
      slowest = std::min(slowest, speedup(ranks, point));
      fastest = std::max(fastest, speedup(ranks, point));
    }
  Axis axis{Scale::logarithmic(slowest, fastest, 1.1), "times as fast as one rank", {}};
  if (scaling.fewest() != 1)  // nothing is known of one rank
    axis.title =
        fmt::format("speed-up; {} count as {}", plural(scaling.fewest(), "rank"), count(scaling.fewest()));
  for (const double tick : axis.scale.ticks()) axis.ticks.emplace_back(tick, fmt::format("{:g}", tick));
  return axis;
}

/// Up to where half of the ideal is had.
std::string where_half_is_lost(const Scaling& scaling) {
  double half = 0;  // most ranks on which some mode still has it
  for (const auto& [mode, points] : scaling.modes)
    for (const auto& [ranks, point] : points)
      if (point.efficiency >= 0.5) half = std::max(half, ranks);
  return half >= scaling.most() ? "no number of ranks here is below 50 %."
                                : fmt::format("beyond {} no mode has 50 %.", plural(half, "rank"));
}

}  // namespace

Drawing draw_scaling(const std::vector<const Json*>& runs) {
  const std::optional<Scaling> scaling = scaling_of(runs);
  if (!scaling)
    return left_out("strong scaling needs results of one matrix on at least two numbers of ranks");
  return {
      draw_charts(*scaling,
                  {speedup_axis(*scaling),
                   "Speed-up over the number of ranks, by mode",
                   {scaling->fewest(), scaling->most()},
                   "ideal: twice the ranks, half the time",
                   speedup,
                   "speed-up",
                   [](double ranks, const ScalingPoint& point) { return digits(speedup(ranks, point)); },
                   false}),
      fmt::format("On {} the fastest mode, {}, takes {} for a product, {} times as fast as the fastest on "
                  "{}: an efficiency of {}; {}",
                  plural(scaling->most(), "rank"), scaling->best_mode, seconds(scaling->best.median),
                  digits(scaling->base_median / scaling->best.median), plural(scaling->fewest(), "rank"),
                  percent(scaling->best.efficiency), where_half_is_lost(*scaling))};
}

}  // namespace spmv::html
