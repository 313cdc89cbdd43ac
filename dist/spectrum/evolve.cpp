#include "dist/spectrum/evolve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/spectrum/chebyshev_vectors.hpp"

namespace spmv {
namespace {

Value coefficient(Formula& f, std::complex<double> number) {
  if (number.imag() == 0) return f.constant(number.real());
  return f.constant(number.real()) + f.imaginary(number.imag());
}

/// sum_k C_k v_k, two steps at a time: the vector of the sum is read and written in every second step only.
template <class T>
class Expansion {
 public:
  Expansion(Workspace<T>& on, const SpectralRange& range)
      : on_(on), sum_(on.make_vector()), vectors_(on, range) {}
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  /// Expands from x. Returns |the sum|, or infinity where |v_k| exceeds what it can be. x stays. Collective.
  double expand(T* x, const std::vector<std::complex<double>>& terms, double slack) {
    const double most = (1 + slack) * start(x, terms[0]);
    constexpr std::size_t terms_of_sum = 16;
    for (std::size_t k = 1; k < terms.size(); k += 2) {
      queue_step();
      queue_terms(terms[k], k + 1 < terms.size() ? terms[k + 1] : 0);
      if ((k + 1) % terms_of_sum == 0) add_up();
      while (waiting_.size() > on_.lines_ahead())
        if (!(norm_of_next() <= most)) return std::numeric_limits<double>::infinity();
    }
    return on_.norm(sum_.data());
  }
  /// x = the sum. Collective.
  void store(T* x) {
    Combination<T> c(on_.rows());
    const auto from = c.vector(sum_.data()), to = c.vector(x);
    c.set(to, from);
    on_.combine(c);
  }
  int products() const { return products_; }

 private:
  /// v_0 = x, the sum = C_0 v_0. Returns |v_0|. Waits.
  double start(T* x, std::complex<double> term) {
    Combination<T> c(on_.rows());
    const auto from = c.vector(x), first = c.vector(vectors_.start()), sum = c.vector(sum_.data());
    c.set(first, from);
    c.set(sum, coefficient(c.formula, term) * first);
    c.sum(0, first, first);
    on_.combine(c);
    on_.add_up();
    return std::sqrt(real_part(on_.read(0)));
  }
  void queue_step() {
    Combination<T> c(on_.rows());
    if (summed_) c.formula.record(0, c.formula.slot(0));
    vectors_.step(c);
    const std::uint64_t line = on_.combine(c);
    if (summed_) waiting_.push_back(line);
    summed_ = false;
    ++products_;
  }
  void queue_terms(std::complex<double> of_now, std::complex<double> of_next) {
    Combination<T> c(on_.rows());
    const auto [now, next] = vectors_.step(c);
    const auto sum = c.vector(sum_.data());
    c.set(sum, sum + coefficient(c.formula, of_now) * now + coefficient(c.formula, of_next) * next);
    c.sum(0, next, next);
    on_.combine(c);
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
  Buffer<T> sum_;
  ChebyshevVectors<T> vectors_;        // ends before the sum: it waits for what is queued
  bool summed_ = false;                // the norm of a v_k is in slot 0, and no line shows it yet
  std::deque<std::uint64_t> waiting_;  // lines that show one
  int products_ = 0;
};

template <class T>
void require_options(double t, const EvolveOptions& options) {
  if (!is_complex<T> && options.time == Time::real)
    throw AgreedError(
        ExitCode::usage,
        "exp(-i A t) x is complex, and the vectors are real: use complex values, or imaginary time");
  if (!std::isfinite(t) || !(options.tolerance > 0))
    throw AgreedError(ExitCode::usage,
                      fmt::format("the time is {} and the tolerance {}: the time must be finite and the "
                                  "tolerance positive",
                                  t, options.tolerance));
}

std::vector<std::complex<double>> terms_for(const SpectralRange& range, double t,
                                            const EvolveOptions& options) {
  constexpr double longest = 1e7;
  const double h = range.half_width();
  if (h * std::abs(t) > longest)
    throw AgreedError(ExitCode::usage,
                      fmt::format("the time {} needs about {:.2g} products at once: take several steps of "
                                  "at most {:.3g}",
                                  t, h * std::abs(t), longest / h));
  auto terms = expand_exponential(range.centre(), h, t, options.time, options.tolerance);
  if (!std::isfinite(terms[0].real()))
    throw AgreedError(ExitCode::usage,
                      fmt::format("exp(-A t) is beyond double for the time {}: take a shorter one", t));
  return terms;
}

}  // namespace

template <class T>
EvolveResult evolve(Workspace<T>& on, T* x, double t, const EvolveOptions& options) {
  require_options<T>(t, options);
  if (options.check) check_hermitian(on, "time evolution", ": check how the matrix was made");
  EvolveResult result;
  result.range = find_range(on, options.bounds);
  const auto start = std::chrono::steady_clock::now();
  for (bool again = false;; again = true) {
    Expansion<T> expansion(on, result.range);
    result.norm_before = result.norm_after = on.norm(x);
    if (!std::isfinite(result.norm_before))
      throw AgreedError(ExitCode::input, "the vector to evolve has a value that is not finite");
    if (result.norm_before == 0) break;
    const auto terms = terms_for(result.range, t, options);
    result.terms = static_cast<int>(terms.size());
    const double slack =
        std::max(1e-6, 8 * result.terms * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()));
    const double ratio = expansion.expand(x, terms, slack) / result.norm_before;
    result.products += expansion.products();
    // exp(-A t) makes no vector larger than by the exponential of the lower bound, or of the upper one for negative times.
    const double most = std::exp(-result.range.centre() * t + result.range.half_width() * std::abs(t));
    const bool fits = options.time == Time::real ? std::abs(ratio - 1) <= slack + 10 * options.tolerance
                                                 : ratio <= most * (1 + slack);
    if (fits) {
      expansion.store(x);
      result.norm_after = ratio * result.norm_before;
      break;
    }
    if (again)
      throw AgreedError(
          ExitCode::input,
          fmt::format(
              "the norm of the evolving vector grew beyond what the bounds {} allow, which were widened "
              "already: give wider bounds",
              to_text(result.range.bounds)));
    result.range = widen_range(on, result.range);
  }
  result.products += result.range.products;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

SPMV_INSTANTIATE(evolve);

}  // namespace spmv
