// Eigenvalues and spectra of a hermitian spmv_dist::Matrix. spmv_dist.hpp says what holds for all calls: Collective and Local,
// errors, threads, versions.
//
//   auto lowest = eigen(A);                                     four eigenvalues with their vectors
//   if (lowest.stop != spmv_dist::Stop::converged) puts(lowest.reason.c_str());
#pragma once

#include <cstdint>
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
  int count = 4;  // of eigenvalues: 1 to the number of rows
  Which which = Which::lowest;
  double tolerance =
      1e-8;          // of |A v - lambda v| / |A|, for |v| = 1; 0 or more. Single precision reaches 1e-5 or so
  int subspace = 0;  // vectors of Lanczos, from count + 2 (copies: + 3); 0: 2 count + 10, at least 24
  int max_restarts = 1000;  // of this subspace; 0 or more
  /// An eigenvalue that is there several times may be found once. true: it converges only when a search from a random vector
  /// that is orthogonal to all that was found has ended beyond them: as many searches as there are copies, and one more.
  bool copies = false;
  /// Called on every rank at every restart with the products done and the largest residual of the wanted eigenvalues; returns
  /// whether to stop. If one rank wants to stop, all do. What it throws is thrown by eigen() on that rank, and the others
  /// stop as asked. May be empty.
  std::function<bool(int products, double residual)> watch = {};
};

/// The same on all ranks, except for `seconds`.
template <class T>
struct EigenResult {
  /// iterations: max_restarts were not enough. stagnated: the tolerance is out of reach in this precision.
  Stop stop = Stop::iterations;
  std::vector<double> values;  // from the wanted end of the spectrum inwards; none if a value was not finite
  std::vector<Vector<T>>
      vectors;  // one each, with norm 1 and orthogonal to each other; the caller's, as of make_x()
  std::vector<double> residuals;  // |A v - lambda v|, computed from the vectors
  double norm = 0;                // |A|: the largest absolute value of an approximate eigenvalue
  int subspace = 0;               // vectors that Lanczos worked with
  int products = 0;
  int restarts = 0;
  std::vector<double>
      history;  // the largest residual / |A| of the wanted ones whenever the subspace was full
  double seconds = 0;
  std::string reason;  // a sentence for people; empty if it converged
};

/// Some of the lowest or highest eigenvalues of a hermitian matrix, by restarted Lanczos. Not to find them is no error but a
/// result, which has the best approximations so far. Needs memory for the subspace, for a half of it when it restarts, and for
/// the eigenvectors. Collective; throws Error: usage for a matrix that is not square or options out of their range, input for a
/// matrix that is not hermitian, memory with what would be needed, environment if no transport works for sums.
template <class T>
SPMV_DIST_EXPORT EigenResult<T> eigen(Matrix<T>& A, const EigenOptions& options = EigenOptions());

/// An interval of eigenvalues, in the unit of A. Both 0: not known.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// The same on all ranks, except for `watch`.
struct MomentsOptions {
  int moments = 512;  // of each start vector, 2 or more; a product gives two
  int vectors = 10;   // random start vectors, 1 or more
  unsigned seed = 1;  // of these
  Bounds bounds;      // an interval that contains the spectrum; both 0: estimated by some products
  /// Called on every rank, about five times a second once the bounds are known, with the moments of all start vectors that are
  /// there; returns whether to stop. If one rank wants to stop, all do. What it throws is thrown by moments() on that rank, and the
  /// others stop as asked. May be empty.
  std::function<bool(std::int64_t moments)> watch = {};
};

/// Chebyshev moments mu_n = (v, T_n((A - c) / h) v) / (v, v), where c is the middle of the bounds and h half their width. The
/// same on all ranks, except for `seconds`.
struct Moments {
  Bounds bounds;
  std::string bounds_from;  // for people, such as "estimated"
  /// [start vector][n]; mu_0 is 1. Where `watch` stopped it, those of the vectors of which all are there, or else those of the first
  /// so far, or none if there are less than two.
  std::vector<std::vector<double>> of_vector;
  double norm = 0;   // |v| of the last start vector
  int products = 0;  // all, with those for the bounds
  double seconds = 0;
  Stop stop = Stop::converged;  // or asked
};

/// Of random vectors with elements of modulus 1, whose mean over many vectors is the trace over the number of rows. They depend
/// on the seed and the caller's ids of rows alone, not on ranks and partition. Where the spectrum exceeds the bounds, they are
/// widened once. Needs a hermitian matrix. Collective; throws Error: usage for a matrix that is not square or options out of
/// their range, input for a matrix that is not hermitian or not finite, or whose spectrum exceeds the widened bounds, too,
/// environment if no transport works for sums.
template <class T>
SPMV_DIST_EXPORT Moments moments(Matrix<T>& A, const MomentsOptions& options = MomentsOptions());
/// Of one start vector of A, which stays as it is, for its local density of states; `vectors` and `seed` do nothing. Collective;
/// throws likewise, Error(usage) for a vector of another matrix, and Error(input) for one that is 0 or not finite.
template <class T>
SPMV_DIST_EXPORT Moments moments_of(Matrix<T>& A, const Vector<T>& v,
                                    const MomentsOptions& options = MomentsOptions());

/// States per unit of energy; all states together are 1.
struct Density {
  std::vector<double> energy;   // ascending, within the bounds, closer at their ends
  std::vector<double> density;  // at these energies
  std::vector<double> error;    // standard error of the mean over start vectors; empty if there is one
  double integral = 0;          // over these points, by trapezoids
};
/// At so many energies, with the kernel of Jackson [Weisse 2006]. Local; throws Error(usage) for no moments or energies.
SPMV_DIST_EXPORT Density density_of_states(const Moments& moments, int energies);

/// The same on all ranks, except for `watch`.
struct EvolveOptions {
  /// Of |x(t)|: what the expansion may leave out, and in imaginary time what cancellation may make of rounding errors. More
  /// than 0; in imaginary time less than 1000 rounding errors of T count as so many. Others, of about |A t| of them, come on
  /// top.
  double tolerance = 1e-10;
  bool imaginary_time = false;  // exp(-A t) x, also for real vectors
  Bounds bounds;                // as in MomentsOptions; give those of the last result for many steps of time
  /// As in MomentsOptions, with the products of the expansion that are done. x is then as it was.
  std::function<bool(std::int64_t products)> watch = {};
};

/// The same on all ranks, except for `seconds`.
struct EvolveResult {
  Bounds bounds;
  std::string bounds_from;
  int terms =
      0;  // of the expansion in Chebyshev polynomials: about h |t|, or 8 sqrt(h |t|) in imaginary time, with half the width h
  int products = 0;        // all, with those for the bounds
  double norm_before = 0;  // |x|
  double norm_after = 0;   // the same, but for rounding, unless time is imaginary
  double seconds = 0;
  Stop stop = Stop::converged;  // or asked: x is as it was
};

/// x, a vector of A, becomes exp(-i A t) x, or exp(-A t) x in imaginary time, for a hermitian matrix; t is in units of 1 / A.
/// Returns when x is complete. Collective; throws Error: usage for real vectors in real time, a vector of another matrix, or a
/// time that needs too many products or leads beyond T, input for a matrix that is not hermitian or not finite, or whose
/// spectrum exceeds the bounds, also after they were widened once, or for an x with so little along the eigenvectors that grow
/// fastest in imaginary time that rounding errors exceed the tolerance. x is then as it was. Bounds that are too narrow can
/// stay unseen in real time if x has less than about 1e-6 of itself along the eigenvectors outside.
template <class T>
SPMV_DIST_EXPORT EvolveResult evolve(Matrix<T>& A, Vector<T>& x, double t,
                                     const EvolveOptions& options = EvolveOptions());

}  // namespace spmv_dist
