// The Chebyshev iteration for D A x = D r from x = 0, where the spectrum of D A is in an interval [Saad 2003, alg. 12.1; Adams
// 2003]: a polynomial in A times r. Products and combinations only: no rank waits for all others.
//
//   rho = delta / theta;  z_0 = D r / theta;  z_-1 = 0         theta: middle of the interval, delta: half its width
//   `degree` times: rho = 1 / (2 theta / delta - rho of before)
//                   z_k+1 = z_k + rho rho of before (z_k - z_k-1) + 2 rho / delta D (r - A z_k)
//
// With D = 1, z_0 is never there: steps that need it take r instead.
#pragma once

#include "dist/solve/workspace.hpp"

namespace spmv {

/// Of polynomials that someone asks for.
inline constexpr int most_degree = 100;

template <class T>
class ChebyshevIteration {
 public:
  /// `on` and `A` must outlive this. `D`: a diagonal, which outlives this; no vector: 1. Local.
  ChebyshevIteration(Workspace<T>& on, const Operator<T>& A, int degree, const VectorRef<T>& D = {})
      : on_(on), A_(A), D_(D), degree_(degree), other_(A.make_vector()), product_(A.make_vector()) {}
  /// Where the spectrum of D A is damped.
  void set_interval(double low, double high) {
    theta_ = (high + low) / 2;
    delta_ = (high - low) / 2;
  }
  /// Queues z = polynomial(D A) D r: `degree` products. Collective.
  void apply(const VectorRef<T>& r, const VectorRef<T>& z);

 private:
  /// target = D of_residual, and target = form + D of_residual.
  void step(const VectorRef<T>& target, const LinearForm<T>& of_residual);
  void step(const VectorRef<T>& target, const LinearForm<T>& form, const LinearForm<T>& of_residual);

  Workspace<T>& on_;
  const Operator<T>& A_;
  VectorRef<T> D_;
  int degree_;
  double theta_ = 1, delta_ = 0;
  Vector<T> other_, product_;
};

}  // namespace spmv
