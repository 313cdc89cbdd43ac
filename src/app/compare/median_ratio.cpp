#include "app/compare/median_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "core/statistics.hpp"

namespace spmv {
namespace {

constexpr int draws = 20000;
constexpr double outside = 0.025;  // on either side of the interval

/// Draws medians of samples that are taken from a series with replacement, without taking the samples: the element of
/// rank k among n numbers that are uniform between 0 and 1 is distributed as Beta(k, n - k + 1), and says at which
/// share of the sorted series the median of the sample stands.
class DrawnMedians {
 public:
  explicit DrawnMedians(std::vector<double> series)
      : sorted_(std::move(series)),
        below_(static_cast<double>(median_place(sorted_.size())) + 1),
        above_(static_cast<double>(sorted_.size() - median_place(sorted_.size()))) {
    std::sort(sorted_.begin(), sorted_.end());
  }
  double median() const { return sorted_[median_place(sorted_.size())]; }
  double draw(std::mt19937_64& random) {
    const double below = below_(random), share = below / (below + above_(random));
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted_.size()));
    return sorted_[std::min(at, sorted_.size() - 1)];
  }

 private:
  /// Where quantile() of core/statistics.hpp finds the median.
  static std::size_t median_place(std::size_t count) {
    return static_cast<std::size_t>(std::lround(0.5 * static_cast<double>(count - 1)));
  }

  std::vector<double> sorted_;
  std::gamma_distribution<double> below_,
      above_;  // Beta(i, j) is the share of a Gamma(i) in its sum with a Gamma(j)
};

}  // namespace

MedianRatio median_ratio(std::vector<double> a, std::vector<double> b) {
  DrawnMedians of_a(std::move(a)), of_b(std::move(b));
  std::mt19937_64 random(1);
  std::vector<double> ratios(draws);
  for (double& ratio : ratios) {
    const double drawn = of_a.draw(random);
    ratio = drawn / of_b.draw(random);
  }
  return {of_a.median() / of_b.median(), quantile(ratios, outside), quantile(ratios, 1 - outside)};
}

}  // namespace spmv
