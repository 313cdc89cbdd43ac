// Chebyshev moments of a hermitian matrix, mu_n = <v|T_n((A - c) / h)|v> / <v|v>: the kernel
// polynomial method [Weisse 2006]. kpm_density.hpp makes a density of states of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dist/spectrum/spectral_range.hpp"

namespace spmv {

/// Steps, of one product each, whose sums go over all ranks together.
inline constexpr int steps_of_reduction = 2;

struct MomentsOptions {
  int moments = 512;
  int vectors = 10;  // random start vectors, whose moments are averaged: an estimate of the trace
  unsigned seed = 1;
  std::optional<Bounds> bounds = {};  // of the spectrum; nullopt: estimated
  /// What find_range() has found of these bounds, for one column where the moments are of several; nullopt: not yet.
  std::optional<SpectralRange> range = {};
  /// Whether to check that the matrix is hermitian: two products.
  bool check = true;
  /// Called now and then on every rank with the moments of all vectors that are there; returns whether to stop. What one rank
  /// answers holds for all of them. May be empty.
  std::function<bool(std::int64_t moments)> watch = {};
};

struct Moments {
  SpectralRange range;                         // on which the polynomials are
  std::vector<std::vector<double>> of_vector;  // [start vector][n]; mu_0 is 1; see `asked`
  /// Whether `watch` stopped it. Then the start vectors are those of which all moments are there; or those that went side by side
  /// first, with the moments so far; or none, if there were not even two moments.
  bool asked = false;
  double norm = 0;     // |v| of a start vector
  int products = 0;    // all, with those for the range
  double seconds = 0;  // of the moments
};

/// Of random vectors (kernels/random_phases.hpp), which are made on the device: they depend on the seed, their number and the ids
/// of rows alone. As many as the workspace has columns go side by side. `ids`: those of this rank's rows, in natural order, as DistributedRows::original_row. A product gives two
/// moments, and the host waits for none of them. The same bits on all ranks. Collective; throws AgreedError: usage for options
/// that make no sense, input for a matrix that is not hermitian, or not finite, or whose spectrum exceeds the range also after
/// the range was widened once; and Error if MPI or the device fails.
template <class T>
Moments moments_of_random(Workspace<T>& on, const Operator<T>& A, const std::vector<gidx>& ids,
                          const MomentsOptions& options);

/// Of one start vector, for its local density of states: `v` is of Operator::make_vector() and stays as it is. `vectors` and
/// `seed` of the options do nothing. Collective; throws likewise, and AgreedError(input) for a vector that is 0 or not finite.
template <class T>
Moments moments_of(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v,
                   const MomentsOptions& options);

}  // namespace spmv
