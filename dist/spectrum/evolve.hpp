// x(t) = exp(-i A t) x(0), or exp(-A t) x(0), of a hermitian matrix, by Chebyshev's expansion [Tal-Ezer
// 1984]: about h |t| products, where h is half the width of the spectrum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dist/spectrum/evolve_terms.hpp"
#include "dist/spectrum/spectral_range.hpp"

namespace spmv {

struct EvolveOptions {
  Time time = Time::real;  // imaginary: exp(-A t)
  /// Of |x(t)|: what the expansion may leave out, and in imaginary time what rounding errors may become by cancellation, too;
  /// there less than 1000 rounding errors of T count as so many. Others, of about |A t| of them, come on top.
  double tolerance = 1e-10;
  std::optional<Bounds> bounds = {};  // of the spectrum; nullopt: estimated
  /// Whether to check that the matrix is hermitian: two products.
  bool check = true;
  /// Called now and then on every rank with the products of expansions that are done; returns whether to stop. What one rank
  /// answers holds for all of them. May be empty.
  std::function<bool(std::int64_t products)> watch = {};
};

struct EvolveResult {
  SpectralRange range;
  bool asked = false;  // by `watch`, to stop: x is as it was
  int terms = 0;       // of the expansion
  int products = 0;    // all, with those for the range
  double norm_before = 0;
  double norm_after = 0;  // the same, but for rounding, in real time
  double seconds = 0;     // of the expansion
};

/// x becomes x(t); it is of Operator::make_vector(). The host waits for nothing inside the expansion. Where the norms show that
/// the range is too narrow, the range is widened once, and x starts from x(0) again. In imaginary time exp(-A t) x is a sum of
/// terms as large as exp(-low t) |x|, or exp(-high t) |x| for t < 0, where low and high are the bounds: so that end is
/// estimated the more exactly the longer the time, also where the given one lies too far out. The same bits on all ranks.
/// Collective; throws AgreedError: usage for real time and real vectors, options that make no sense, or a result beyond the
/// value type; input for a matrix that is not hermitian, for values that are not finite, for bounds that are too narrow also
/// after they were widened, or for an x with too little along the eigenvectors that grow fastest; x is then as it was. Throws
/// Error if MPI or the device fails.
template <class T>
EvolveResult evolve(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& x, double t,
                    const EvolveOptions& options);

}  // namespace spmv
