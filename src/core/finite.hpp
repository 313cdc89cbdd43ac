#pragma once

#include <cmath>
#include <complex>

namespace spmv {

/// Whether a real or complex number is neither infinite nor "not a number". Pure.
template <class T>
bool is_finite(const T& value) {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

}  // namespace spmv
