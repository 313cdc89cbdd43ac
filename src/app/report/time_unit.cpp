#include "app/report/time_unit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace spmv {

std::string digits(double value) {
  constexpr int counting = 4;
  const int before = value >= 1 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return fmt::format("{:.{}f}", value, std::clamp(counting - before, 0, counting - 1));
}

TimeUnit::TimeUnit(double longest) : name_("s"), per_second_(1) {
  constexpr double longest_us = 0.1, longest_ms = 100;
  if (longest < longest_us)
    name_ = "us", per_second_ = 1e6;
  else if (longest < longest_ms)
    name_ = "ms", per_second_ = 1e3;
}

std::string TimeUnit::or_dash(double seconds, bool measured) const {
  return measured && seconds >= 0 ? text(seconds) : "-";
}

}  // namespace spmv
