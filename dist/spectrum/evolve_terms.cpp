#include "dist/spectrum/evolve_terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spmv {
namespace {

/// Beyond it, all are less than 1e-20.
int last_order(double z, Time time) {
  const double real_time = z + 14 * std::cbrt(z), imaginary_time = std::sqrt(100 * z);
  return static_cast<int>(time == Time::real ? real_time : std::min(real_time, imaginary_time)) + 30;
}

/// J of real time: J_0^2 + 2 (J_1^2 + J_2^2 + ...) = 1, without cancellation; I of imaginary time: I_0 + 2 (I_1 + ...) = exp(z).
double norm_of(const std::vector<double>& values, Time time) {
  double sum = 0;
  for (std::size_t k = values.size(); k-- > 0;)
    sum += (k == 0 ? 1 : 2) * (time == Time::real ? values[k] * values[k] : values[k]);
  return time == Time::real ? std::sqrt(sum) : sum;
}

/// Where the next ones are below rounding errors: Miller's recursion would overflow.
std::vector<double> first_two(double z, Time time) {
  return {time == Time::real ? 1 : 1 - z, z / 2};
}

/// GNU's std::cyl_bessel_j is off by 4e-13 at z = 999 and by 1e290 beyond 1000; std::cyl_bessel_i takes 240 s at z = 1e5. This:
/// 4e-16 in 1 ms.
std::vector<double> by_recursion(double z, Time time) {
  std::vector<double> values(static_cast<std::size_t>(last_order(z, time)) + 1, 0.0);
  constexpr double small = 1e-100, large = 1e100;
  const double sign = time == Time::real ? -1 : 1;
  double above = 0, value = small;
  for (std::size_t k = values.size(); k-- > 0;) {
    values[k] = value;
    const double below = 2 * static_cast<double>(k) / z * value + sign * above;
    above = value;
    value = below;
    if (std::abs(value) < large) continue;
    for (std::size_t i = k; i < values.size(); ++i) values[i] *= small;
    above *= small;
    value *= small;
  }
  const double norm = norm_of(values, time);
  for (double& each : values) each /= norm;
  return values;
}

}  // namespace

double unseen_growth(double k) {
  constexpr double of_rounding_errors = 36;  // exp(36) times 2^-52 is about 1
  return std::exp(of_rounding_errors / std::max(k, 1.0));
}

std::vector<double> bessel(double z, Time time, double tolerance) {
  constexpr double tiny = 1e-8;
  std::vector<double> values = z < tiny ? first_two(z, time) : by_recursion(z, time);
  // Of what is after the last one, as seen from there.
  for (double rest = 0; values.size() > 1; values.pop_back()) {
    const auto last = static_cast<double>(values.size() - 1);
    rest = (rest + 2 * std::abs(values.back())) * unseen_growth(last - 1);
    if (!(rest < tolerance)) break;
  }
  return values;
}

Exponential expand_exponential(double centre, double half_width, double t, Time time, double tolerance) {
  using Complex = std::complex<double>;
  const Complex i(0, 1);
  const double angle = centre * t, rounded_off = std::fma(centre, t, -angle);
  const Complex phase = time == Time::real ? std::exp(-i * angle) * std::exp(-i * rounded_off) : Complex(1);
  const double backwards = t < 0 ? -1 : 1;
  // (-i)^k or (-1)^k, and (-1)^k once more for negative arguments.
  const std::array<Complex, 4> real_time = {1, -i * backwards, -1, i * backwards};
  const std::array<Complex, 4> imaginary_time = {1, -backwards, 1, -backwards};
  const auto& turn = time == Time::real ? real_time : imaginary_time;
  Exponential result;
  result.exponent = time == Time::real ? 0 : std::fma(half_width, std::abs(t), -centre * t);
  for (const double value : bessel(half_width * std::abs(t), time, tolerance)) {
    const std::size_t k = result.terms.size();
    result.terms.push_back((k == 0 ? 1.0 : 2.0) * value * turn[k % 4] * phase);
  }
  return result;
}

}  // namespace spmv
