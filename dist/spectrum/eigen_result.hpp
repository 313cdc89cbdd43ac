// What searches for eigenvalues take and give, and what they have in common before and after them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dist/solve/solver.hpp"

namespace spmv {

/// Which end of the spectrum.
enum class Which { lowest, highest };
const char* to_string(Which which);

struct EigenOptions {
  int count = 4;
  Which which = Which::lowest;
  double tolerance = 1e-8;  // of |A v - lambda v| / |A|, for |v| = 1
  int subspace = 0;         // vectors that Lanczos works with; 0: default_subspace()
  int max_restarts = 1000;  // each is so many products as the subspace has vectors beyond those that are kept
  /// One start vector sees one eigenvector of every eigenvalue, so a degenerate one is found once, unless rounding brings in
  /// others. true: converge only when a search from a random vector, orthogonal to all that is wanted, has converged to an
  /// eigenvalue beyond them: as many searches as there are copies, and one more. Needs a subspace of count + 3, if that is less
  /// than the rows.
  bool copies = false;
  unsigned start_seed = 1;  // which random vectors the search starts from: 1 to 65535
  /// Called at every restart on every rank with the products done and the largest residual of the pairs that are wanted, as
  /// `tolerance` counts it; returns whether to stop. What one rank answers holds for all of them. May be empty.
  std::function<bool(int products, double residual)> watch = {};
  /// Whether to check beforehand that the matrix is hermitian: two products.
  bool check = true;
};

template <class T>
struct EigenResult {
  /// iterations: max_restarts were not enough. stagnated: tolerance is out of reach in this precision. broke_down: never.
  Stop stop = Stop::iterations;
  std::vector<double>
      values;  // from the end of the spectrum inwards: as many as wanted, none where not_finite
  std::vector<Vector<T>> vectors;  // of Operator::make_vector(), with norm 1, orthogonal to each other
  std::vector<double> residuals;   // |A v - lambda v|, computed from the vectors
  double norm = 0;                 // |A|: the largest absolute value of an approximate eigenvalue
  int subspace = 0;                // vectors that Lanczos worked with
  int products = 0;
  int sums = 0;  // over all ranks
  int restarts = 0;
  std::vector<double>
      history;  // largest residual / |A| of the pairs that were looked for when a subspace was full, by the recurrence
  double seconds = 0;
  std::string reason;  // in a sentence, where it did not converge
};

/// Throws AgreedError(usage) for a count that a matrix with so many rows does not have. Pure.
void require_possible(int count, gidx rows);

/// The number of the first random vector of a seed, which has 2^16 of them. Before those of seed 1 are some of checks and
/// estimates. Pure.
unsigned first_random(unsigned start_seed);

/// Rayleigh quotients (v, A v) of the columns, and |A v - (v, A v) v|.
struct Judged {
  std::vector<double> values, residuals;
};
/// Of a block, whose columns get norm 1; `product` is overwritten. One product and two sums over ranks. Waits. Collective.
template <class T>
Judged judge(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v, const VectorRef<T>& product);
inline constexpr int sums_of_judging = 2;

/// EigenResult::reason, of all else that a result has; `copies`: whether the search was for all copies. Pure.
template <class T>
std::string why_it_stopped(const EigenResult<T>& result, const EigenOptions& options, bool copies);

/// The result of a matrix that was multiplied as 2^-exponent A. Pure.
template <class T>
EigenResult<T> in_units_of_matrix(EigenResult<T> result, int exponent);

}  // namespace spmv
