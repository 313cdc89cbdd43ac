#include "dist/spectrum/evolve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/check_hermitian.hpp"
#include "dist/solve/sized_norm.hpp"
#include "dist/solve/stop_question.hpp"
#include "dist/spectrum/expansion.hpp"

namespace spmv {
namespace {

template <class T>
void require_options(double t, const EvolveOptions& options) {
  if (!is_complex<T> && options.time == Time::real)
    throw AgreedError(
        ExitCode::usage,
        "exp(-i A t) x is complex, and the vectors are real: use complex values, or imaginary time");
  if (!std::isfinite(t) || !(options.tolerance > 0) || !std::isfinite(options.tolerance))
    throw AgreedError(ExitCode::usage,
                      fmt::format("the time is {} and the tolerance {}: both must be finite, and the "
                                  "tolerance positive",
                                  t, options.tolerance));
}

Exponential terms_for(const SpectralRange& range, double t, Time time, double left_out) {
  constexpr double longest = 1e7;
  const double h = range.half_width();
  if (h * std::abs(t) > longest)
    throw AgreedError(ExitCode::usage,
                      fmt::format("the time {} is {:.2g} over half the width of the spectrum: take several "
                                  "steps of at most {:.3g}",
                                  std::ldexp(t, -range.exponent), h * std::abs(t),
                                  std::ldexp(longest / h, -range.exponent)));
  return expand_exponential(range.centre(), h, t, time, left_out);
}

/// The end of the spectrum by which exp(-A t) grows fastest must be known this well: then its terms are at most 8 times as
/// large as they need to be.
Nearness near_for(double t, Time time) {
  Nearness near;
  if (time == Time::imaginary && t != 0) (t > 0 ? near.low : near.high) = 2 / std::abs(t);
  return near;
}

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());

/// Rounding errors of an expansion of x, of one for every number that is as large as the matrix.
template <class T>
struct Rounding {
  Rounding(const SpectralRange& range, double t, const Exponential& expected) {
    const double z = range.half_width() * std::abs(t), k = static_cast<double>(expected.terms.size());
    const double of_product = epsilon<T> * (1 + range.size() / range.half_width());
    of_norm = 64 * epsilon<T> + 8 * k * of_product;
    of_vectors = of_norm + k * k * of_product;
    of_sum = 2 * epsilon<T> + of_product * std::min(z, 1 + std::sqrt(z) / 3);
    of_time = 4 * epsilon<T> * range.size() * std::abs(t);
    for (std::size_t i = 0; i < expected.terms.size(); ++i)
      unseen += std::abs(expected.terms[i]) * std::pow(epsilon<T>, 1 - static_cast<double>(i) / k);
  }
  double of_norm;     // of |the sum| in real time, of |x|
  double of_vectors;  // by how much |v_k| may exceed |v_0|: more at the ends of the range, where T_k is steep
  double of_sum;      // of the sum in imaginary time, of |x|
  double of_time;     // what no way avoids, of |x(t)|: other eigenvalues in A as it is stored
  double unseen =
      0;  // of the sum, if x has nothing where the spectrum leaves the range: from errors to the size of x
};

/// One evolution: the range may change, and what is left out, until the result is good enough.
template <class T>
class Evolution {
 public:
  /// `t`: of the normalised matrix. `norm`: of x. `result` has its range.
  Evolution(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& x, const SizedNorm& norm, double t,
            const EvolveOptions& options, EvolveResult& result)
      : on_(on),
        A_(A),
        x_(x),
        norm_(norm),
        t_(t),
        options_(options),
        result_(result),
        near_(near_for(t, options.time)),
        question_(on.communicator()),
        given_(options.bounds.has_value()),
        believed_(given_),
        left_out_(imaginary() ? options.tolerance * 1e-4 : options.tolerance / 2) {}

  /// False where it must be tried again: the result is neither there nor no longer wanted. Collective.
  bool try_once() {
    const SpectralRange& range = result_.range;
    const Exponential expected =
        terms_for(range, t_, options_.time, std::max(left_out_, epsilon<double> / 8));
    const Rounding<T> rounding(range, t_, expected);
    Expansion<T> expansion(on_, A_, range);
    const std::optional<double> sum = expansion.expand(
        x_, norm_.exponent, expected.terms, rounding.of_vectors, [this](int done) { return asked(done); });
    result_.terms = static_cast<int>(expected.terms.size());
    result_.products += expansion.products();
    result_.asked = !sum.has_value();
    if (result_.asked) return true;
    const double ratio = *sum / norm_.norm;
    const bool fits = imaginary() ? ratio <= 1 + rounding.of_vectors
                                  : std::abs(ratio - 1) <= rounding.of_norm + 2 * options_.tolerance;
    if (!fits) return widen();
    if (imaginary()) {
      const double allowed = std::max(options_.tolerance, 1000 * epsilon<T>) + rounding.of_time;
      if (!(rounding.of_sum + rounding.unseen <= allowed * ratio) && !confirmed()) return widen();
      if (!(rounding.of_sum <= allowed * ratio)) return estimate_instead(ratio, rounding.of_sum / ratio);
      if (!(left_out_ <= allowed * ratio)) {
        left_out_ = allowed * ratio / 2;
        return false;
      }
    }
    const double logarithm = expected.exponent + std::log(norm_.norm) + norm_.exponent * std::log(2.0);
    require_representable(logarithm + std::log(ratio));
    expansion.store(x_, expected.exponent, norm_.exponent);
    result_.norm_after = ratio * std::exp(logarithm);
    return true;
  }

 private:
  bool imaginary() const { return options_.time == Time::imaginary; }
  /// Whether to stop, with so many products of this expansion done.
  bool asked(int done) {
    const std::int64_t all = result_.products + done;
    return options_.watch && question_.asks_to_stop(all, [&] { return options_.watch(all); });
  }
  bool widen() {
    if (widened_)
      throw AgreedError(
          ExitCode::input,
          fmt::format(
              "the norm of the evolving vector grew beyond what the bounds {} allow, which were widened "
              "already: give wider bounds",
              result_.range.text()));
    widened_ = true;
    believed_ = false;
    result_.range = widen_range(on_, A_, result_.range, near_);
    return false;
  }
  const SpectralRange& estimate() {
    if (!estimate_) {
      estimate_ = find_range(on_, A_, std::nullopt, near_);
      result_.products += estimate_->products;
    }
    return *estimate_;
  }
  /// Whether given bounds contain what an estimate sees of the spectrum.
  bool confirmed() {
    if (!std::exchange(believed_, false)) return true;
    const Bounds &bounds = result_.range.bounds, &seen = estimate().seen;
    return bounds.low <= seen.low && seen.high <= bounds.high;
  }
  /// Where the terms cancel to `ratio` of |x|, and given bounds lie too far out. Throws AgreedError if they do not.
  bool estimate_instead(double ratio, double error) {
    if (std::exchange(given_, false)) {
      const std::string given = result_.range.text();
      result_.products += result_.range.products;
      result_.range = estimate();
      result_.range.from += ", as terms cancel within " + given;
      result_.range.products = 0;  // counted already
      return false;
    }
    throw AgreedError(
        ExitCode::input,
        fmt::format(
            "exp(-A t) x is {:.1g} of what it is for the {} eigenvector, of which x has too little: rounding "
            "errors may be {:.1g} of it, more than the tolerance of {:g}: take a shorter time, a "
            "greater tolerance or another vector",
            ratio, t_ > 0 ? "lowest" : "highest", error, options_.tolerance));
  }
  void require_representable(double logarithm) const {
    using Limits = std::numeric_limits<RealOf<T>>;
    // Elements are smaller than the norm, and must not lose digits.
    const double least = std::log(1000 * static_cast<double>(Limits::min()));
    if (logarithm >= least && logarithm <= std::log(static_cast<double>(Limits::max()))) return;
    throw AgreedError(
        ExitCode::usage,
        fmt::format("exp(-A t) x has a norm of about exp({:.6g}) for the time {}, which is beyond "
                    "the value type: take a shorter one, or add a number to the diagonal of A",
                    logarithm, std::ldexp(t_, -A_.exponent())));
  }

  Workspace<T>& on_;
  const Operator<T>& A_;
  VectorRef<T> x_;
  SizedNorm norm_;
  double t_;
  const EvolveOptions& options_;
  EvolveResult& result_;
  Nearness near_;
  StopQuestion question_;
  bool given_;     // the range has bounds that were given
  bool believed_;  // and nothing but the growth of vectors would show that it is too narrow
  std::optional<SpectralRange> estimate_;
  bool widened_ = false;
  double left_out_;  // of exp(exponent) |x|
};

}  // namespace

template <class T>
EvolveResult evolve(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& x, double t,
                    const EvolveOptions& options) {
  require_options<T>(t, options);
  if (options.check) check_hermitian(on, A, "time evolution", ": check how the matrix was made");
  EvolveResult result;
  const double scaled_t = std::ldexp(t, A.exponent());
  result.range = find_range(on, A, options.bounds, near_for(scaled_t, options.time));
  const auto start = std::chrono::steady_clock::now();
  const SizedNorm norm = sized_norm(on, A, x, "the vector to evolve", nullptr);
  result.norm_before = result.norm_after = std::ldexp(norm.norm, norm.exponent);
  Evolution<T> evolution(on, A, x, norm, scaled_t, options, result);
  while (norm.norm != 0 && !evolution.try_once())
    ;
  result.products += result.range.products;
  result.range = result.range.of_matrix();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

SPMV_INSTANTIATE(evolve);

}  // namespace spmv
