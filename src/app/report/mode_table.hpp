#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/report/run_report.hpp"

namespace spmv {

/// A column of a table with a line for each mode.
struct ModeColumn {
  std::string heading;
  const char* place;  // of a cell in its line, such as "{:>8} "
  std::function<std::string(const ModeResult&)> cell;
};

/// The headings, and a line for each mode, without blanks at the ends. Pure.
std::string mode_table(const std::vector<ModeColumn>& columns, const std::vector<ModeResult>& modes);

}  // namespace spmv
