// How large the elements of a matrix are, as exponents of 2: scaling by powers of 2 is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "core/value_type.hpp"

namespace spmv {

struct Magnitudes {
  /// Of each of this rank's rows, in natural order: its largest element is in [2^(e - 1), 2^e), counted by the larger of real and
  /// imaginary part. `none` for a row without an element that is finite and not 0.
  std::vector<std::int16_t> of_row;
  int largest = none;  // of all ranks' rows
  static constexpr int none = -20000;
};

/// Of the matrix of which `block` has this rank's rows. Collective.
template <class T>
Magnitudes find_magnitudes(const Communicator& communicator, const Csr<T>& block);

/// value times 2^exponent, for complex numbers, too. Pure.
template <class T>
T times_power_of_two(const T& value, int exponent) {
  if constexpr (is_complex<T>)
    return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
  else
    return std::ldexp(value, exponent);
}

/// The exponents within which numbers of T are safe to compute with: products of a few of them, and of the sums of their squares,
/// are finite and not 0. `e` itself outside of them, and 0 inside. Sums of single-precision vectors are in double precision.
/// Pure.
template <class T>
constexpr int beyond_safe(int e) {
  constexpr bool single = sizeof(RealOf<T>) == sizeof(float);
  constexpr int safe = single ? 30 : 120, most = single ? 126 : 1000;
  if (e == Magnitudes::none || (-safe <= e && e <= safe)) return 0;
  return std::clamp(e, -most, most);
}

}  // namespace spmv
