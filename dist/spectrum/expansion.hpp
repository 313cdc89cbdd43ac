// sum_k C_k T_k((A - c) / h) x: what an exponential of a matrix makes of a vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "core/value_types.hpp"
#include "dist/spectrum/chebyshev_vectors.hpp"

namespace spmv {

/// sum_k C_k v_k, two steps at a time: the vector of the sum is read and written in every second step only.
template <class T>
class Expansion {
 public:
  Expansion(Workspace<T>& on, const Operator<T>& A, const SpectralRange& range)
      : on_(on), sum_(A.make_vector()), vectors_(on, A, range) {}
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  /// Expands from 2^-of_x x. Returns |the sum|, or infinity where |v_k| exceeds what it can be, or nothing where
  /// stop(products that are done) was true, which is called on all ranks after the same products. x stays. Collective.
  template <class Stop>
  std::optional<double> expand(const VectorRef<T>& x, int of_x,
                               const std::vector<std::complex<double>>& terms, double slack,
                               const Stop& stop) {
    const double most = (1 + slack) * start(x, of_x, terms[0]);
    constexpr double too_large = std::numeric_limits<double>::infinity();
    constexpr int terms_of_sum = 16;
    int done = 0;
    for (std::size_t k = 1; k < terms.size(); k += 2) {
      queue_step();
      queue_terms(terms[k], k + 1 < terms.size() ? terms[k + 1] : 0);
      if ((k + 1) % terms_of_sum == 0) add_up();
      while (waiting_.size() > on_.lines_ahead()) {
        if (!(norm_of_next() <= most)) return too_large;
        done += terms_of_sum;
        if (stop(done)) return std::nullopt;
      }
    }
    if (!(on_.norm(vectors_.newest()) <= most)) return too_large;
    return on_.norm(sum_);
  }
  /// x = exp(exponent) 2^of_x times the sum, in factors that T can represent. Collective.
  void store(const VectorRef<T>& x, double exponent, int of_x) {
    const double at_once = std::log(static_cast<double>(std::numeric_limits<RealOf<T>>::max())) / 8;
    const double largest = std::max(std::abs(exponent), std::abs(of_x * std::log(2.0)));
    const int factors = std::max(1, static_cast<int>(std::ceil(largest / at_once)));
    for (int i = 0; i < factors; ++i) {
      const int twos = of_x * (i + 1) / factors - of_x * i / factors;
      const double factor = std::ldexp(std::exp(exponent / factors), twos);
      on_.run(Combination<T>().set(x, factor * (i == 0 ? sum_ : x)));
    }
  }
  int products() const { return products_; }

 private:
  static Number coefficient(std::complex<double> number) {
    return number.imag() == 0 ? Number(number.real()) : number.real() + imaginary(number.imag());
  }
  /// v_0 = 2^-of_x x, the sum = C_0 v_0. Returns |v_0|. Waits.
  double start(const VectorRef<T>& x, int of_x, std::complex<double> term) {
    const VectorRef<T> first = vectors_.start();
    Combination<T> c;
    c.set(first, std::ldexp(1.0, -of_x) * x).set(sum_, coefficient(term) * first);
    on_.run(c.sum(0, first, first));
    on_.add_up();
    return std::sqrt(real_part(on_.read(0)));
  }
  void queue_step() {
    Combination<T> c;
    if (summed_) c.record(0, slot(0));
    vectors_.step(c);
    const std::uint64_t line = on_.run(c);
    if (summed_) waiting_.push_back(line);
    summed_ = false;
    ++products_;
  }
  void queue_terms(std::complex<double> of_now, std::complex<double> of_next) {
    Combination<T> c;
    const auto [now, next] = vectors_.step(c);
    c.set(sum_, sum_ + coefficient(of_now) * now + coefficient(of_next) * next);
    on_.run(c.sum(0, next, next));
    ++products_;
  }
  void add_up() {
    on_.add_up();
    summed_ = true;
  }
  double norm_of_next() {
    const std::uint64_t line = waiting_.front();
    waiting_.pop_front();
    return std::sqrt(on_.line(line)[0]);
  }

  Workspace<T>& on_;
  Vector<T> sum_;
  ChebyshevVectors<T> vectors_;        // ends before the sum: it waits for what is queued
  bool summed_ = false;                // the norm of a v_k is in slot 0, and no line shows it yet
  std::deque<std::uint64_t> waiting_;  // lines that show one
  int products_ = 0;
};

}  // namespace spmv
