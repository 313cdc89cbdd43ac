#pragma once

#include <string>

namespace spmv {

/// A report with some words in a terminal's colours: right results green, wrong ones and an early end red, unchecked ones
/// yellow. Pure.
std::string painted(const std::string& report);

}  // namespace spmv
