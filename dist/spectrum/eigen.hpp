// Some of the lowest or highest eigenvalues of a hermitian matrix, with eigenvectors: restarted Lanczos.
#pragma once

#include <cstdint>
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

/// For `count` eigenvalues of a matrix with so many rows. Pure.
int default_subspace(int count, std::int64_t rows);

/// A stop without all pairs is a result, not an error: it then has the best pairs so far with their residuals. Collective, the
/// same result on all ranks but `seconds`. Throws AgreedError: usage for a count beyond the matrix's rows or a subspace that is
/// too small, input for a matrix that is not hermitian, memory; and Error if MPI or the device fails.
template <class T>
EigenResult<T> eigen(Workspace<T>& on, const Operator<T>& A, const EigenOptions& options);

}  // namespace spmv
