// What the symmetry of a Matrix Market file says about values. Local.
#pragma once

#include <complex>

#include "core/value_type.hpp"
#include "io/matrix_market_header.hpp"

namespace spmv {

/// The value at (j, i) that belongs to `value` at (i, j), i != j.
template <class T>
T mirrored(const T& value, MatrixMarketHeader::Symmetry symmetry) {
  if (symmetry == MatrixMarketHeader::Symmetry::skew_symmetric) return -value;
  if constexpr (is_complex<T>) {
    if (symmetry == MatrixMarketHeader::Symmetry::hermitian) return std::conj(value);
  }
  return value;
}

/// Why `value` cannot stand on the diagonal, with the fix; nullptr where it can.
template <class T>
const char* why_not_on_diagonal(const T& value, MatrixMarketHeader::Symmetry symmetry) {
  if (symmetry == MatrixMarketHeader::Symmetry::skew_symmetric && value != T(0)) {
    return "a skew-symmetric matrix has a zero diagonal; drop the entry or declare the matrix general";
  }
  if constexpr (is_complex<T>) {
    if (symmetry == MatrixMarketHeader::Symmetry::hermitian && value.imag() != 0) {
      return "a hermitian matrix has a real diagonal; drop the imaginary part or declare the matrix general";
    }
  }
  return nullptr;
}

}  // namespace spmv
