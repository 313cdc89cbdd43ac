// What several runs say of each mode, by the number of ranks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/html/chart.hpp"
#include "app/html/saved_run.hpp"

namespace spmv::html {

/// The fastest product of a mode on so many ranks.
struct ScalingPoint {
  double median = 0;    // seconds
  double nonzeros = 0;  // of the matrix
  std::string how;      // over which transport, in which format
};

/// By the mode, then by the number of ranks. At most 16 modes, the first that there are.
using ScalingSeries = std::map<std::string, std::map<double, ScalingPoint>>;

/// Of the runs that say how many ranks they had. Pure.
ScalingSeries scaling_series(const std::vector<const Json*>& runs);
/// Pure.
std::set<double> rank_counts(const ScalingSeries& series);
/// Logarithmic, with a tick for every count, or where they are many for some. At least one count. Pure.
Axis ranks_axis(const std::set<double>& counts);

}  // namespace spmv::html
