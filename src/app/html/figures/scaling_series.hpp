// What several runs say of each mode, by the number of ranks, and the two charts that show it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/html/chart.hpp"
#include "app/html/saved_run.hpp"

namespace spmv::html {

/// The fastest product of a mode on so many ranks.
struct ScalingPoint {
  double median = 0;      // seconds
  double nonzeros = 0;    // of the matrix
  double efficiency = 0;  // nonzeros for each second and rank, as a share of the most on the fewest ranks
  std::string how;        // over which transport, in which format
};

struct Scaling {
  /// By the mode, then by the number of ranks. At most 16 modes, the first that there are.
  std::map<std::string, std::map<double, ScalingPoint>> modes;
  std::set<double> counts;  // numbers of ranks, at least two
  double base_median = 0;   // seconds of the product on the fewest ranks whose efficiency is 1
  std::string best_mode;    // of the highest efficiency on the most ranks
  ScalingPoint best;        // its point there
  double fewest() const { return *counts.begin(); }
  double most() const { return *counts.rbegin(); }
};

/// Of the runs that say how many ranks they had; nothing where all of them had as many. Pure.
std::optional<Scaling> scaling_of(const std::vector<const Json*>& runs);

/// What is drawn over the number of ranks, above the efficiency.
struct ScalingChart {
  Axis axis;
  const char* label;                                                    // what the chart is
  std::pair<double, double> ideal;                                      // at the fewest and at the most ranks
  const char* ideal_title;                                              // what the ideal line says
  std::function<double(double ranks, const ScalingPoint&)> height;      // along the axis
  const char* column;                                                   // head of the table's own column
  std::function<std::string(double ranks, const ScalingPoint&)> entry;  // of that column
  bool grows;  // whether points have nonzeros of their own
};

/// The legend, this chart, that of the efficiency, and all numbers. Markup. Pure.
std::string draw_charts(const Scaling& scaling, const ScalingChart& chart);

}  // namespace spmv::html
