#include "dist/spectrum/kpm_density.hpp"

#include <cmath>

namespace spmv {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Factors that damp the oscillations of a sum that ends.
std::vector<double> jackson_kernel(std::size_t moments) {
  const auto end = static_cast<double>(moments + 1);
  std::vector<double> g;
  for (std::size_t i = 0; i < moments; ++i) {
    const auto n = static_cast<double>(i);
    const double angle = pi * n / end;
    g.push_back(((end - n) * std::cos(angle) + std::sin(angle) / std::tan(pi / end)) / end);
  }
  return g;
}

/// mu_0 + 2 sum_n mu_n cos(n angle), by Clenshaw's recursion.
double cosine_series(const std::vector<double>& mu, double angle) {
  const double twice = 2 * std::cos(angle);
  double b1 = 0, b2 = 0;
  for (std::size_t n = mu.size(); n-- > 1;) {
    const double b = 2 * mu[n] + twice * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return mu[0] + twice / 2 * b1 - b2;
}

struct Mean {
  double value, error;
};
Mean mean_of(const std::vector<double>& samples) {
  const auto count = static_cast<double>(samples.size());
  double sum = 0, squares = 0;
  for (const double sample : samples) sum += sample;
  const double mean = sum / count;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

std::vector<double> mean_moments(const Moments& moments) {
  std::vector<double> mean(moments.of_vector.front().size(), 0.0);
  for (const auto& mu : moments.of_vector)
    for (std::size_t n = 0; n < mean.size(); ++n) mean[n] += mu[n];
  for (double& mu : mean) mu /= static_cast<double>(moments.of_vector.size());
  return mean;
}

Density density_of_states(const Moments& moments, int energies) {
  std::vector<std::vector<double>> damped = moments.of_vector;
  const std::vector<double> g = jackson_kernel(damped.front().size());
  for (auto& mu : damped)
    for (std::size_t n = 0; n < g.size(); ++n) mu[n] *= g[n];
  const double half_width = moments.range.half_width();
  Density result;
  for (int k = energies; k-- > 0;) {
    const double angle = pi * (k + 0.5) / energies;
    std::vector<double> samples;
    samples.reserve(damped.size());
    for (const auto& mu : damped)
      samples.push_back(cosine_series(mu, angle) / (pi * std::sin(angle) * half_width));
    const Mean mean = mean_of(samples);
    result.energy.push_back(moments.range.centre() + half_width * std::cos(angle));
    result.density.push_back(mean.value);
    if (samples.size() > 1) result.error.push_back(mean.error);
    const std::size_t at = result.energy.size() - 1;
    if (at > 0)
      result.integral +=
          (result.energy[at] - result.energy[at - 1]) * (result.density[at] + result.density[at - 1]) / 2;
  }
  return result;
}

}  // namespace spmv
