// Spectra and exponentials of small hermitian matrices in long double, by ways that the product does not take.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "support/small_system.hpp"

namespace spmv::test {

using LongComplex = std::complex<long double>;

/// Square, by rows.
struct LongMatrix {
  explicit LongMatrix(std::size_t size) : n(size), a(size * size) {}
  LongComplex& operator()(std::size_t i, std::size_t j) { return a[i * n + j]; }
  const LongComplex& operator()(std::size_t i, std::size_t j) const { return a[i * n + j]; }

  std::size_t n;
  std::vector<LongComplex> a;
};

template <class T>
LongMatrix dense(const SmallSystem<T>& system) {
  LongMatrix result(static_cast<std::size_t>(system.rows));
  for (const Entry<T>& e : system.entries)
    result(static_cast<std::size_t>(e.row), static_cast<std::size_t>(e.col)) += LongComplex(e.value);
  return result;
}

inline LongMatrix product(const LongMatrix& x, const LongMatrix& y) {
  LongMatrix result(x.n);
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t k = 0; k < x.n; ++k)
      for (std::size_t j = 0; j < x.n; ++j) result(i, j) += x(i, k) * y(k, j);
  return result;
}

template <class T>
std::vector<LongComplex> product(const LongMatrix& m, const std::vector<T>& x) {
  std::vector<LongComplex> y(m.n);
  for (std::size_t i = 0; i < m.n; ++i)
    for (std::size_t j = 0; j < m.n; ++j) y[i] += m(i, j) * LongComplex(x[j]);
  return y;
}

/// exp(factor m) by scaling and squaring: Taylor's series of the matrix over a power of 2, squared as often.
inline LongMatrix exponential(const LongMatrix& m, LongComplex factor) {
  long double size = 0;
  for (const LongComplex& value : m.a) size = std::max(size, std::abs(value * factor));
  const int squarings = std::max(0, 2 + std::ilogb(size * static_cast<long double>(m.n) + 1));
  LongMatrix scaled(m.n), term(m.n), sum(m.n);
  for (std::size_t i = 0; i < m.a.size(); ++i) scaled.a[i] = m.a[i] * factor / std::ldexp(1.0L, squarings);
  for (std::size_t i = 0; i < m.n; ++i) term(i, i) = sum(i, i) = 1;
  constexpr int terms = 30;
  for (int k = 1; k < terms; ++k) {
    term = product(term, scaled);
    for (std::size_t i = 0; i < m.a.size(); ++i) sum.a[i] += term.a[i] /= static_cast<long double>(k);
  }
  for (int i = 0; i < squarings; ++i) sum = product(sum, sum);
  return sum;
}

struct LongSpectrum {
  std::vector<long double> value;
  LongMatrix vector;  // columns
};

/// By Jacobi's rotations.
inline LongSpectrum diagonalised(LongMatrix m) {
  const std::size_t n = m.n;
  LongMatrix v(n);
  for (std::size_t i = 0; i < n; ++i) v(i, i) = 1;
  constexpr int sweeps = 40;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const long double size = std::abs(m(p, q));
        if (size == 0) continue;
        const LongComplex turn = std::conj(m(p, q)) / size;
        const long double tau = std::real(m(q, q) - m(p, p)) / (2 * size);
        const long double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const long double c = 1 / std::sqrt(1 + t * t), s = t * c;
        const auto rotate = [&](LongComplex& at_p, LongComplex& at_q, LongComplex phase) {
          const LongComplex old_p = at_p, old_q = phase * at_q;
          at_p = c * old_p - s * old_q;
          at_q = s * old_p + c * old_q;
        };
        for (std::size_t i = 0; i < n; ++i) rotate(m(i, p), m(i, q), turn);
        for (std::size_t i = 0; i < n; ++i) rotate(m(p, i), m(q, i), std::conj(turn));
        for (std::size_t i = 0; i < n; ++i) rotate(v(i, p), v(i, q), turn);
      }
  std::vector<long double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(std::real(m(i, i)));
  return {values, v};
}

/// <v|T_n((m - centre) / half_width)|v> / <v|v> of the spectrum, for n = 0 to count - 1.
template <class T>
std::vector<double> moments_by_spectrum(const LongSpectrum& spectrum, const std::vector<T>& v, double centre,
                                        double half_width, int count) {
  std::vector<long double> sums(static_cast<std::size_t>(count));
  long double norm = 0;
  for (std::size_t j = 0; j < spectrum.value.size(); ++j) {
    LongComplex overlap = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      overlap += std::conj(spectrum.vector(i, j)) * LongComplex(v[i]);
    norm += std::norm(overlap);
    const long double angle = std::acos((spectrum.value[j] - centre) / half_width);
    for (std::size_t n = 0; n < sums.size(); ++n)
      sums[n] += std::norm(overlap) * std::cos(static_cast<long double>(n) * angle);
  }
  std::vector<double> moments;
  for (const long double sum : sums) moments.push_back(static_cast<double>(sum / norm));
  return moments;
}

}  // namespace spmv::test
