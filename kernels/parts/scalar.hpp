// Numbers that solvers compute with: coefficients and sums, in double precision for every value type.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "core/value_type.hpp"

namespace spmv {

/// A complex number that host and CUDA code compute with alike; std::complex<double> in memory.
struct ComplexScalar {
  double re = 0;
  double im = 0;
};

/// The type of coefficients and sums of vectors of T.
template <class T>
using ScalarOf = std::conditional_t<is_complex<T>, ComplexScalar, double>;

constexpr ComplexScalar operator+(ComplexScalar a, ComplexScalar b) {
  return {a.re + b.re, a.im + b.im};
}
constexpr ComplexScalar operator-(ComplexScalar a, ComplexScalar b) {
  return {a.re - b.re, a.im - b.im};
}
constexpr ComplexScalar operator-(ComplexScalar a) {
  return {-a.re, -a.im};
}
constexpr ComplexScalar operator*(ComplexScalar a, ComplexScalar b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
constexpr ComplexScalar operator/(ComplexScalar a, ComplexScalar b) {
  if (b.im == 0) return {a.re / b.re, a.im / b.re};
  const double norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}

constexpr double real_part(double a) {
  return a;
}
constexpr double real_part(ComplexScalar a) {
  return a.re;
}
constexpr double conjugate(double a) {
  return a;
}
constexpr ComplexScalar conjugate(ComplexScalar a) {
  return {a.re, -a.im};
}
constexpr bool is_zero(double a) {
  return a == 0;
}
constexpr bool is_zero(ComplexScalar a) {
  return a.re == 0 && a.im == 0;
}

/// The real number a as a scalar.
template <class S>
constexpr S scalar_of(double a) {
  if constexpr (std::is_same_v<S, double>)
    return a;
  else
    return {a, 0};
}

/// a times i as a scalar; no number for real ones.
template <class S>
constexpr S imaginary_of(double a) {
  if constexpr (std::is_same_v<S, double>)
    return std::numeric_limits<double>::quiet_NaN();
  else
    return {0, a};
}

/// The same number as std::complex, or as it is. Host only.
inline double to_standard(double a) {
  return a;
}
inline std::complex<double> to_standard(ComplexScalar a) {
  return {a.re, a.im};
}

}  // namespace spmv
