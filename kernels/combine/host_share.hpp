// What a thread of a combination on the host works with: its elements, coefficients and sums.
#pragma once

#include "core/types.hpp"
#include "kernels/combine/combination.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

template <class T>
ScalarOf<T> as_scalar(const T& value) {
  if constexpr (is_complex<T>)
    return {value.real(), value.imag()};
  else
    return value;
}
template <class T>
T as_value(const ScalarOf<T>& scalar) {
  if constexpr (is_complex<T>)
    return {static_cast<RealOf<T>>(scalar.re), static_cast<RealOf<T>>(scalar.im)};
  else
    return static_cast<T>(scalar);
}

/// Elements are summed in so many lanes that do not wait for each other. The number is the same for every processor, so that a
/// sum has the same bits in whichever instructions it is computed.
inline constexpr lidx lanes = 16;

/// (a, b) in lanes. Complex sums are kept as real and imaginary parts, because that vectorises.
template <class S>
struct LaneSums {
  alignas(cache_line_bytes) double sum[lanes] = {};
  void add(lidx lane, double a, double b) { sum[lane] += a * b; }
  double total() const {
    double total = sum[0];
    for (lidx l = 1; l < lanes; ++l) total += sum[l];
    return total;
  }
};
template <>
struct LaneSums<ComplexScalar> {
  alignas(cache_line_bytes) double real[lanes] = {};
  alignas(cache_line_bytes) double imag[lanes] = {};
  void add(lidx lane, ComplexScalar a, ComplexScalar b) {
    real[lane] += a.re * b.re + a.im * b.im;
    imag[lane] += a.re * b.im - a.im * b.re;
  }
  ComplexScalar total() const {
    ComplexScalar total{real[0], imag[0]};
    for (lidx l = 1; l < lanes; ++l) total = total + ComplexScalar{real[l], imag[l]};
    return total;
  }
};

/// Coefficients of the changes, by the number of the vector that they multiply.
template <class S>
struct Coefficients {
  S of[most_changes][most_vectors] = {};
  bool drops_terms = false;  // whether the coefficient of a term is 0

  template <class T>
  Coefficients(const CombinationData<T>& data, const S* registers) {
    for (int c = 0; c < data.changes; ++c)
      if (!data.change[c].multiplies) add_terms(c, data.change[c], registers);
  }

 private:
  template <class Change>
  void add_terms(int c, const Change& change, const S* registers) {
    for (int t = 0; t < change.terms; ++t) {
      const Term term = change.term[t];
      const S size = term.coefficient < 0 ? scalar_of<S>(1) : registers[term.coefficient];
      of[c][term.vector] = of[c][term.vector] + (term.negative ? -size : size);
      if (is_zero(size)) drops_terms = true;
    }
  }
};

/// The elements first to last - 1 of a combination that is renumbered(), and the sums of them.
template <class T>
struct Share {
  const CombinationData<T>& data;
  const Coefficients<ScalarOf<T>>& coefficients;
  lidx first;
  lidx last;
  ScalarOf<T> sum[most_sums] = {};
};

}  // namespace spmv
