// The host product of one row.
#pragma once

#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// sum over j < length of value(j) * x[col(j)]; value and col are functors. Complex by hand, because
/// std::complex's product checks for NaN and does not vectorise.
template <class T, class Value, class Col>
T row_product(offset length, Value value, Col col, const T* x) {
  if constexpr (is_complex<T>) {
    using R = RealOf<T>;
    const R* w = reinterpret_cast<const R*>(x);
    R real = 0;
    R imag = 0;
#pragma omp simd reduction(+ : real, imag)
    for (offset j = 0; j < length; ++j) {
      const T v = value(j);
      const offset k = 2 * static_cast<offset>(col(j));
      real += v.real() * w[k] - v.imag() * w[k + 1];
      imag += v.real() * w[k + 1] + v.imag() * w[k];
    }
    return {real, imag};
  } else {
    T sum{};
#pragma omp simd reduction(+ : sum)
    for (offset j = 0; j < length; ++j) sum += value(j) * x[col(j)];
    return sum;
  }
}

/// The same for a row whose elements stand side by side.
template <class T>
T row_product(const T* value, const lidx* col, offset length, const T* x) {
  return row_product<T>(
      length, [value](offset j) { return value[j]; }, [col](offset j) { return col[j]; }, x);
}

}  // namespace spmv
