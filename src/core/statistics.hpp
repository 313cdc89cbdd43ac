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

/// A confidence interval of the median.
struct MedianInterval {
  double low = 0;
  double high = 0;
};

/// The interval, between two elements of the sample, that holds the median with a confidence of at least 95 %: the number of
/// n elements below the median is binomial with probability 1/2, whatever their distribution. Fewer than six elements do not
/// reach 95 %: then it is the whole range. 0 for an empty sample.
inline MedianInterval median_interval(std::vector<double> sample) {
  if (sample.empty()) return {};
  constexpr double tail = 0.025;  // on either side
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  std::size_t outside = 0;          // of the sorted sample, at either end
  double log_p = -n * std::log(2);  // the probability that just `outside` are below the median
  double below = std::exp(log_p);   // that at most so many are
  while (below <= tail) {
    const auto k = static_cast<double>(outside++);
    log_p += std::log((n - k) / (k + 1));
    below += std::exp(log_p);
  }
  // Of the sorted sample number k, counted from 1, is below the median unless fewer than k are.
  const std::size_t at = outside == 0 ? 0 : outside - 1;
  return {sample[at], sample[sample.size() - 1 - at]};
}

}  // namespace spmv
