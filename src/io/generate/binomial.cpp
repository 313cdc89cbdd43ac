#include "io/generate/binomial.hpp"

#include <array>
#include <cmath>

#include "io/generate/hash.hpp"

namespace spmv {
namespace {

/// Adds the probabilities of 0, 1, 2, ... successes until the sum exceeds one uniform number.
gidx by_inversion(gidx n, double p, std::uint64_t seed) {
  const double odds = p / (1 - p);
  double probability = std::pow(1 - p, static_cast<double>(n));
  double left = unit_value(mixed(seed));
  gidx successes = 0;
  while (left > probability && successes < n) {
    left -= probability;
    ++successes;
    probability *= odds * static_cast<double>(n - successes + 1) / static_cast<double>(successes);
  }
  return successes;
}

/// The error of Stirling's formula for log k!.
double stirling_rest(double k) {
  static constexpr std::array<double, 10> table = {
      0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
      0.01664469118982119, 0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
      0.00925546218271273, 0.00833056343336287};
  if (k < 10) return table[static_cast<std::size_t>(k)];
  const double next = 1 / (k + 1), squared = next * next;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * squared) * squared) * next;
}

/// Transformed rejection with squeeze (BTRS; Hoermann, 1993), for n p >= 10 and p <= 1/2.
gidx by_rejection(gidx trials, double p, std::uint64_t seed) {
  const auto n = static_cast<double>(trials);
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double centre = n * p + 0.5;
  const double sure = 0.92 - 4.2 / b;
  const double odds = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((n + 1) * p);
  for (std::uint64_t draw = 0;; draw += 2) {
    const double u = unit_value(mixed(seed, draw)) - 0.5;
    const double v = unit_value(mixed(seed, draw + 1));
    const double from_end = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / from_end + b) * u + centre);
    if (from_end >= 0.07 && v <= sure) return static_cast<gidx>(k);
    if (k < 0 || k > n) continue;
    const double left = std::log(v * alpha / (a / (from_end * from_end) + b));
    const double right = (m + 0.5) * std::log((m + 1) / (odds * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(m) +
                         stirling_rest(n - m) - stirling_rest(k) - stirling_rest(n - k);
    if (left <= right) return static_cast<gidx>(k);
  }
}

}  // namespace

gidx binomial_draw(gidx n, double p, std::uint64_t seed) {
  constexpr double few = 10;  // mean number of successes below which inversion is faster
  if (p > 0.5) return n - binomial_draw(n, 1 - p, seed);
  if (n == 0 || p == 0) return 0;
  return static_cast<double>(n) * p < few ? by_inversion(n, p, seed) : by_rejection(n, p, seed);
}

}  // namespace spmv
