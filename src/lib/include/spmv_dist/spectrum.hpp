// Eigenvalues and spectra of a hermitian spmv_dist::Matrix. spmv_dist.hpp says what holds for all calls: Collective and Local,
// errors, threads, versions.
//
//   auto lowest = eigen(A);                                     four eigenvalues with their vectors
//   if (lowest.stop != spmv_dist::Stop::converged) puts(lowest.reason.c_str());
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spmv_dist/solve.hpp"
#include "spmv_dist/spmv_dist.hpp"

namespace spmv_dist {

/// Which end of the spectrum.
enum class Which : int { lowest = 0, highest = 1 };

/// The same on all ranks, except for `watch`.
struct EigenOptions {
  int count = 4;
  Which which = Which::lowest;
  double tolerance = 1e-8;   // of |A v - lambda v| / |A|, for |v| = 1
  int basis = 0;             // vectors that Lanczos works with; 0: 2 count + 10, and at least 24
  int most_restarts = 1000;  // of this basis
  /// An eigenvalue that is there several times may be found once. true: the search goes on until a random vector that is
  /// orthogonal to all that has converged has found no further one; about twice the products.
  bool copies = false;
  /// Called on every rank at every restart with the products done and the largest residual of the wanted eigenvalues; returns
  /// whether to stop. If one rank wants to stop, all do. What it throws is thrown by eigen() on that rank, and the others
  /// stop as asked. May be empty.
  std::function<bool(int products, double residual)> watch = {};
};

/// The same on all ranks, except for `seconds`.
template <class T>
struct EigenResult {
  /// iterations: most_restarts were not enough. stagnated: the tolerance is out of reach in this precision.
  Stop stop = Stop::iterations;
  std::vector<double> values;  // from the wanted end of the spectrum inwards; none if a value was not finite
  std::vector<Vector<T>> vectors;  // one each, with norm 1 and orthogonal to each other
  std::vector<double> residuals;   // |A v - lambda v|, computed from the vectors
  double norm = 0;                 // |A|: the largest absolute value of an approximate eigenvalue
  int basis = 0;                   // vectors that Lanczos worked with
  int products = 0;
  int restarts = 0;
  std::vector<double> history;  // the largest residual / |A| of the wanted ones whenever the basis was full
  double seconds = 0;
  std::string reason;  // one line for people; empty if it converged
};

/// Some of the lowest or highest eigenvalues of a hermitian matrix, by restarted Lanczos. Not to find them is no error but a
/// result, which has the best approximations so far. Needs memory for the basis, for a half of it when it restarts, and for the
/// eigenvectors. Collective; throws Error: usage for a matrix that is not square or options that cannot be, input for a matrix that
/// is not hermitian, memory with what would be needed.
template <class T>
SPMV_DIST_EXPORT EigenResult<T> eigen(Matrix<T>& A, const EigenOptions& options = EigenOptions());

}  // namespace spmv_dist
