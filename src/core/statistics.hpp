#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace spmv {

/// Value at share `q` of the sorted sample, nearest rank; 0 for an empty sample.
inline double quantile(std::vector<double> sample, double q) {
  if (sample.empty()) return 0;
  const auto last = static_cast<double>(sample.size() - 1);
  const auto at = sample.begin() + static_cast<std::ptrdiff_t>(std::lround(q * last));
  std::nth_element(sample.begin(), at, sample.end());
  return *at;
}

inline double median(const std::vector<double>& sample) {
  return quantile(sample, 0.5);
}

}  // namespace spmv
