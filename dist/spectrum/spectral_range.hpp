// An interval that contains the spectrum of a hermitian matrix: what Chebyshev polynomials of the matrix need.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "dist/solve/workspace.hpp"

namespace spmv {

/// What a caller knows of the spectrum.
struct Bounds {
  double low = 0;
  double high = 0;
};

struct SpectralRange {
  Bounds bounds;
  std::string from;  // for people, such as "estimated"
  int products = 0;  // that finding it took
  Bounds seen = {};  // of an estimate: the outermost eigenvalues that its steps saw
  int exponent = 0;  // k: all of these are those of 2^-k A, by which the workspace multiplies

  double centre() const { return bounds.low + (bounds.high - bounds.low) / 2; }
  double half_width() const { return (bounds.high - bounds.low) / 2; }
  /// That of A.
  SpectralRange of_matrix() const {
    SpectralRange range = *this;
    range.bounds = {std::ldexp(bounds.low, exponent), std::ldexp(bounds.high, exponent)};
    range.exponent = 0;
    return range;
  }
  /// The bounds of A for people, as to_text().
  std::string text() const;
  /// The largest possible |eigenvalue|.
  double size() const { return std::max(std::abs(bounds.low), std::abs(bounds.high)); }
};

/// How near an estimate must be to the ends of the spectrum, where a hundredth of its width is not near enough.
struct Nearness {
  double low = std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// The bounds for people, such as "[-2, 2]": with as many digits as show their distance to six. Pure.
std::string to_text(const Bounds& bounds);
/// The digits that numbers within the bounds need so that their distances have `digits`; 17 at most. Pure.
int digits_within(const Bounds& bounds, int digits);

/// The bounds of A that are given, or else an estimate: the ends that some steps of Lanczos find, each farther out by its
/// residual and at least by a hundredth of the width, or by `near` if that is less. More steps bring the residuals down to
/// `near`; where that takes too many, the bounds are farther out. Waits. Collective; throws AgreedError: usage for given bounds
/// that are no interval, input for a matrix with values that are not finite.
template <class T>
SpectralRange find_range(Workspace<T>& on, const Operator<T>& A, const std::optional<Bounds>& given,
                         const Nearness& near = {});

/// A wider range, for one that turned out to be too narrow: it contains `narrow` and an estimate by more steps. Waits.
/// Collective; throws as find_range().
template <class T>
SpectralRange widen_range(Workspace<T>& on, const Operator<T>& A, const SpectralRange& narrow,
                          const Nearness& near = {});

}  // namespace spmv
