// When a solver has to stop, by the numbers of its iterations.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "dist/solve/solver.hpp"

namespace spmv {

/// What conjugate gradients show of a matrix: the Rayleigh quotients (p, A p) / (p, M p) of their directions. (p, M p) follows
/// from (r, z), since r is orthogonal to the direction before it.
class Directions {
 public:
  /// Of an iteration: (r, z) and (p, A p).
  void add(double rz, double ps);
  /// The quotient of the newest direction over the largest element of Lanczos' matrix so far, which is near the largest
  /// eigenvalue. At or below rounding, A p is what rounding leaves of 0.
  double quotient() const { return quotient_; }
  /// The least of them: not below 1 / the condition number of M^-1 A, but for rounding.
  double least() const { return least_; }

 private:
  double pp_ = 0;             // (p, M p)
  double before_ = 0;         // (r, z)
  double inverse_alpha_ = 0;  // (p, A p) / (r, z)
  double largest_ = 0, quotient_ = 1, least_ = 1;
};

/// Reads the lines of a solver from one start on, and says when to stop.
class Judge {
 public:
  /// Of a method on so many rows in a precision of `eps`. `finds_definite`: lines have (r, z) and a (p, A p) that is computed
  /// as such.
  Judge(double goal, gidx rows, double eps, bool finds_definite)
      : goal_(goal), rows_(rows), eps_(eps), finds_definite_(finds_definite) {}
  /// Takes the numbers of the line of iteration `iterations`, counted from 0: what it begins with.
  bool stops(int iterations, const std::array<double, record_width>& line);
  void end(Stop stop) { stop_ = stop; }

  double goal() const { return goal_; }
  Stop stop() const { return stop_; }
  int done() const { return done_; }
  /// Whether a stop is due to a direction that A maps to 0, within rounding.
  bool saw_singular() const { return singular_; }

 private:
  int patience() const;

  double goal_;
  gidx rows_;
  double eps_;
  bool finds_definite_;
  Directions directions_;
  double best_ = std::numeric_limits<double>::infinity();
  int best_at_ = 0;
  int done_ = 0;
  bool singular_ = false;
  Stop stop_ = Stop::iterations;
};

}  // namespace spmv
