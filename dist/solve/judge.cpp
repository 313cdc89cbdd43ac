#include "dist/solve/judge.hpp"

#include <algorithm>
#include <cmath>

namespace spmv {

void Directions::add(double rz, double ps) {
  const double beta = before_ > 0 ? rz / before_ : 0;
  pp_ = rz + beta * beta * pp_;
  const double beside = beta * inverse_alpha_;
  inverse_alpha_ = ps / rz;
  before_ = rz;
  largest_ = std::max(largest_, std::abs(inverse_alpha_) + beside);
  quotient_ = ps / pp_ / largest_;
  least_ = std::min(least_, quotient_);
}

/// Residual norms of conjugate gradients go up and down for long, while the error falls in every iteration. Without rounding it
/// is 0 after as many as there are rows; with it, as many are needed as of a larger matrix of the same condition: its root times
/// some. Beyond the precision, and where a direction shows that the matrix is singular, there is nothing to wait for but a last
/// few.
int Judge::patience() const {
  constexpr gidx least = 100, some = 1000, many = 5000;
  const gidx by_rows = 5 * rows_;
  if (singular_) return static_cast<int>(std::clamp(by_rows, least, some));
  if (!finds_definite_) return static_cast<int>(std::max<gidx>(best_at_, std::clamp(by_rows, least, many)));
  constexpr double roots = 10;
  const double seen = std::cbrt(eps_ * eps_);  // smaller quotients may be rounding
  const bool within = directions_.least() > seen;
  const auto by_condition = within ? static_cast<gidx>(roots / std::sqrt(directions_.least())) : 0;
  constexpr gidx most = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(most, std::max({gidx{best_at_}, least, by_rows + by_condition})));
}

bool Judge::stops(int iterations, const std::array<double, record_width>& line) {
  const auto [norm_squared, positive, rz, unused] = line;
  done_ = iterations;
  constexpr double falls = 0.98;  // less is no progress
  if (norm_squared < falls * best_) {
    best_ = norm_squared;
    best_at_ = iterations;
  }
  if (norm_squared <= goal_ * goal_) {
    stop_ = Stop::converged;
    return true;
  }
  if (!std::isfinite(norm_squared) || !std::isfinite(positive)) {
    stop_ = Stop::not_finite;
    return true;
  }
  if (finds_definite_ && rz < 0) {
    stop_ = Stop::broke_down;
    return true;
  }
  if (finds_definite_) directions_.add(rz, positive);
  constexpr double of_breakdown = 64, of_patience = 2;
  if (positive <= 0) {
    singular_ = finds_definite_ && directions_.quotient() >= -of_breakdown * eps_;
    stop_ = singular_ ? Stop::stagnated : Stop::broke_down;
    return true;
  }
  singular_ = finds_definite_ && directions_.quotient() <= of_patience * eps_;
  if (iterations - best_at_ <= patience()) return false;
  stop_ = Stop::stagnated;
  return true;
}

}  // namespace spmv
