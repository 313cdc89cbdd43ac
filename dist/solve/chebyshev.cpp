// Preconditioner chebyshev: M^-1 = a polynomial in A, the Chebyshev iteration on [largest / 30, largest] [Saad 2003, alg. 12.1; Adams
// 2003]. Products and combinations only: no rank waits for all others.
//
//   rho = delta / theta;  z_0 = r / theta;  z_-1 = 0
//   `degree` times: rho = 1 / (2 theta / delta - rho of before)
//                   z_k+1 = z_k + rho rho of before (z_k - z_k-1) + 2 rho / delta (r - A z_k)
//
// z_0 is never there: steps that need it take r instead.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/ends_of_spectrum.hpp"
#include "dist/solve/preconditioners.hpp"
#include "dist/solve/random_vector.hpp"

namespace spmv {
namespace {

constexpr double interval = 30;  // its end over its begin

template <class T>
class Chebyshev final : public Preconditioner<T> {
 public:
  Chebyshev(Workspace<T>& on, int degree)
      : on_(on), degree_(degree), other_(on.make_vector()), product_(on.make_vector()) {}
  void set_largest(double largest, const std::string& from) {
    theta_ = (largest + largest / interval) / 2;
    delta_ = (largest - largest / interval) / 2;
    choices_ = fmt::format("degree {} on {}, {}", degree_, interval_of(largest), from);
  }
  std::string choices() const override { return choices_; }
  /// The interval that ends there, for people, in units of the matrix as given.
  std::string interval_of(double largest) const {
    const double end = std::ldexp(largest, on_.exponent());
    return fmt::format("[{:.3g}, {:.3g}]", end / interval, end);
  }

  void apply(T* r, T* z) override {
    if (degree_ == 0) return scale(r, z);
    T *now = z, *before = other_.data();
    if (degree_ % 2 == 0) std::swap(now, before);  // so that the last one is z
    double rho = delta_ / theta_;
    for (int k = 0; k < degree_; ++k) {
      const double next = 1 / (2 * theta_ / delta_ - rho);
      if (k == 0)
        first_step(r, now, next * rho, 2 * next / delta_);
      else
        step(r, now, before, next * rho, 2 * next / delta_, k == 1);
      if (k > 0) std::swap(now, before);
      rho = next;
    }
  }

  /// Whether 1 - A M^-1 lets a random vector shrink, as it does if all eigenvalues are in (0, largest]. Collective.
  bool contracts() {
    // A part of the vector that grows is seen once it is the largest one.
    constexpr int most_steps = 8;
    constexpr double rounding = 1.001;
    Buffer<T> r, z;
    on_.communicator().together([&] {
      r = random_vector(on_, 3);
      z = on_.make_vector();
    });
    double before = on_.norm(r.data());
    for (int i = 0; i < most_steps; ++i) {
      apply(r.data(), z.data());
      on_.multiply(z.data(), product_.data());
      Combination<T> c(on_.rows());
      const auto residual = c.vector(r.data()), product = c.vector(product_.data());
      c.set(residual, residual - product);
      on_.combine(c);
      const double now = on_.norm(r.data());
      if (!(now <= rounding * before)) return false;
      before = now;
    }
    return true;
  }

 private:
  /// z = z_0
  void scale(T* r, T* z) {
    Combination<T> c(on_.rows());
    const auto from = c.vector(r), to = c.vector(z);
    c.set(to, c.formula.constant(1 / theta_) * from);
    on_.combine(c);
  }
  /// z = z_0 + of_d z_0 + of_r (r - A z_0)
  void first_step(T* r, T* z, double of_d, double of_r) {
    on_.multiply(r, product_.data());
    Combination<T> c(on_.rows());
    const auto from = c.vector(r), product = c.vector(product_.data()), to = c.vector(z);
    c.set(to, c.formula.constant((1 + of_d) / theta_ + of_r) * from -
                  c.formula.constant(of_r / theta_) * product);
    on_.combine(c);
  }
  /// before = now + of_d (now - before) + of_r (r - A now), where `second` says that before is z_0.
  void step(T* r, T* now, T* before, double of_d, double of_r, bool second) {
    on_.multiply(now, product_.data());
    Combination<T> c(on_.rows());
    const auto from = c.vector(r), product = c.vector(product_.data());
    const auto z = c.vector(now), next = c.vector(before);
    const auto fall = c.formula.constant(of_r);
    const LinearForm step = c.formula.constant(1 + of_d) * z - fall * product;
    if (second)
      c.set(next, step + c.formula.constant(of_r - of_d / theta_) * from);
    else
      c.set(next, step + fall * from - c.formula.constant(of_d) * next);
    on_.combine(c);
  }

  Workspace<T>& on_;
  int degree_;
  double theta_ = 0, delta_ = 0;  // middle and half width of the interval
  std::string choices_;
  Buffer<T> other_, product_;
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_chebyshev(const PreconditionerRequest<T>& request) {
  constexpr double from_below = 1.1;  // what is estimated may be a little more
  constexpr int steps = 20;
  Workspace<T>& on = request.on;
  const auto normalised = [&](double number) { return std::ldexp(number, -on.exponent()); };
  const double bound = normalised(
      request.bound > 0 ? request.bound : bound_largest_eigenvalue(on.communicator(), request.rows));
  const bool given = request.largest > 0;
  const double largest = given ? normalised(request.largest)
                               : std::min(bound, from_below * estimate_ends(on, steps).highest.value);
  if (!(largest > 0) || !std::isfinite(largest))
    throw AgreedError(
        ExitCode::input,
        fmt::format("the largest eigenvalue is {:.3g} by an estimate, and preconditioner chebyshev "
                    "needs a positive definite matrix: use another preconditioner, or none",
                    std::ldexp(largest, on.exponent())));
  auto chebyshev =
      on.communicator().together([&] { return std::make_unique<Chebyshev<T>>(on, request.degree); });
  chebyshev->set_largest(largest, given ? "as given" : "estimated");
  if (chebyshev->contracts()) return chebyshev;
  chebyshev->set_largest(
      bound, fmt::format("widened from {:.3g}, which was too small", std::ldexp(largest, on.exponent())));
  if (chebyshev->contracts()) return chebyshev;
  throw AgreedError(ExitCode::input,
                    fmt::format("preconditioner chebyshev diverges on {}, which no eigenvalue of a "
                                "positive definite matrix exceeds: use another preconditioner, or none",
                                chebyshev->interval_of(bound)));
}

SPMV_INSTANTIATE(make_chebyshev);

}  // namespace spmv
