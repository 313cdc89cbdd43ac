// The host product of one row whose elements stand side by side.
#pragma once

#include <complex>

#include "core/types.hpp"

namespace spmv {

template <class T>
T row_product(const T* value, const lidx* col, offset length, const T* x) {
  T sum{};
#pragma omp simd reduction(+ : sum)
  for (offset j = 0; j < length; ++j) sum += value[j] * x[col[j]];
  return sum;
}

/// By hand, because std::complex's product checks for NaN and does not vectorise.
template <class R>
std::complex<R> row_product(const std::complex<R>* value, const lidx* col, offset length,
                            const std::complex<R>* x) {
  const R* v = reinterpret_cast<const R*>(value);
  const R* w = reinterpret_cast<const R*>(x);
  R real = 0;
  R imag = 0;
#pragma omp simd reduction(+ : real, imag)
  for (offset j = 0; j < length; ++j) {
    const offset k = 2 * static_cast<offset>(col[j]);
    real += v[2 * j] * w[k] - v[2 * j + 1] * w[k + 1];
    imag += v[2 * j] * w[k + 1] + v[2 * j + 1] * w[k];
  }
  return {real, imag};
}

}  // namespace spmv
