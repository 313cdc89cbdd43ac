#pragma once

#include <string>

namespace spmv {

/// A report with the words that matter most in a terminal's colours: right results green, wrong ones and a run's early
/// end red, what was not checked yellow. Pure.
std::string painted(const std::string& report);

}  // namespace spmv
