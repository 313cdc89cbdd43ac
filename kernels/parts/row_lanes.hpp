// Sums of neighbouring rows on the host, one SIMD lane a row.
#pragma once

#include <complex>

#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// Sums of `capacity` neighbouring rows. Complex numbers are kept as separate real and imaginary parts,
/// because std::complex's product checks for NaN and does not vectorise.
template <class T, int capacity>
struct RowLanes {
  T sum[capacity] = {};

  void add_product(int i, const T* value, const T* x, lidx col) { sum[i] += value[i] * x[col]; }
  /// The same with one value instead of the i-th of several.
  void add_product_to(int i, const T& value, const T* x, lidx col) { sum[i] += value * x[col]; }
  /// Adds value * x, loaded before.
  void add(int i, T value, T x) { sum[i] += value * x; }
  T get(int i) const { return sum[i]; }
  void set(int i, T value) { sum[i] = value; }
};

template <class R, int capacity>
struct RowLanes<std::complex<R>, capacity> {
  using T = std::complex<R>;
  R real[capacity] = {};
  R imag[capacity] = {};

  void add_product(int i, const T* value, const T* x, lidx col) { add_product_to(i, value[i], x, col); }
  void add_product_to(int i, const T& value, const T* x, lidx col) {
    const R* v = reinterpret_cast<const R*>(&value);
    const R* w = reinterpret_cast<const R*>(x) + 2 * static_cast<offset>(col);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it does not follow copies of complex numbers.
    real[i] += v[0] * w[0] - v[1] * w[1];
    imag[i] += v[0] * w[1] + v[1] * w[0];
  }
  void add(int i, T value, T x) { add_product_to(i, value, &x, 0); }
  T get(int i) const { return {real[i], imag[i]}; }
  void set(int i, T value) {
    real[i] = value.real();
    imag[i] = value.imag();
  }
};

}  // namespace spmv
