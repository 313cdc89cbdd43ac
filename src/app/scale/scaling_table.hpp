#pragma once

#include <string>
#include <vector>

#include "app/report/report_json.hpp"

namespace spmv {

/// The points of one study as a table with parallel efficiency: nonzeros per time and rank, against those of the fastest mode of the same
/// format and partition on the fewest ranks. Points that were left out are named below it. Pure.
std::string scaling_table(const std::vector<Json>& points);

}  // namespace spmv
