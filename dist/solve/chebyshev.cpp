// Preconditioner chebyshev: M^-1 = the polynomial in A of a Chebyshev iteration on [largest / 30, largest].
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/chebyshev_iteration.hpp"
#include "dist/solve/ends_of_spectrum.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/solve/preconditioners.hpp"

namespace spmv {
namespace {

constexpr double interval = 30;  // its end over its begin

template <class T>
class Chebyshev final : public Preconditioner<T> {
 public:
  Chebyshev(Workspace<T>& on, const Operator<T>& A, int degree)
      : on_(on), A_(A), degree_(degree), iteration_(on, A, degree), product_(A.make_vector()) {}
  void set_largest(double largest, const std::string& from) {
    iteration_.set_interval(largest / interval, largest);
    choices_ = fmt::format("degree {} on {}, {}", degree_, interval_of(largest), from);
  }
  std::string choices() const override { return choices_; }
  /// The interval that ends there, for people, in units of the matrix as given.
  std::string interval_of(double largest) const {
    const double end = std::ldexp(largest, A_.exponent());
    return fmt::format("[{:.3g}, {:.3g}]", end / interval, end);
  }

  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override { iteration_.apply(r, z); }

  /// Whether 1 - A M^-1 lets a random vector shrink, as it does if all eigenvalues are in (0, largest]. Collective.
  bool contracts() {
    // A part of the vector that grows is seen once it is the largest one.
    constexpr int most_steps = 8;
    constexpr double rounding = 1.001;
    Vector<T> r, z;
    on_.communicator().together([&] {
      r = random_vector(on_, A_, 3);
      z = A_.make_vector();
    });
    double before = on_.norm(r);
    for (int i = 0; i < most_steps; ++i) {
      apply(r, z);
      on_.multiply(A_, z, product_);
      on_.run(Combination<T>().set(r, r - product_));
      const double now = on_.norm(r);
      if (!(now <= rounding * before)) return false;
      before = now;
    }
    return true;
  }

 private:
  Workspace<T>& on_;
  const Operator<T>& A_;
  int degree_;
  ChebyshevIteration<T> iteration_;
  std::string choices_;
  Vector<T> product_;
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_chebyshev(const PreconditionerRequest<T>& request) {
  constexpr double from_below = 1.1;  // what is estimated may be a little more
  constexpr int steps = 20;
  Workspace<T>& on = request.on;
  const Operator<T>& A = request.A;
  const auto normalised = [&](double number) { return std::ldexp(number, -A.exponent()); };
  const double bound = normalised(
      request.bound > 0 ? request.bound : bound_largest_eigenvalue(on.communicator(), request.rows));
  const bool given = request.largest > 0;
  const double largest = given ? normalised(request.largest)
                               : std::min(bound, from_below * estimate_ends(on, A, steps).highest.value);
  if (!(largest > 0) || !std::isfinite(largest))
    throw AgreedError(
        ExitCode::input,
        fmt::format("the largest eigenvalue is {:.3g} by an estimate, and preconditioner chebyshev "
                    "needs a positive definite matrix: use another preconditioner, or none",
                    std::ldexp(largest, A.exponent())));
  auto chebyshev =
      on.communicator().together([&] { return std::make_unique<Chebyshev<T>>(on, A, request.degree); });
  chebyshev->set_largest(largest, given ? "as given" : "estimated");
  if (chebyshev->contracts()) return chebyshev;
  chebyshev->set_largest(
      bound, fmt::format("widened from {:.3g}, which was too small", std::ldexp(largest, A.exponent())));
  if (chebyshev->contracts()) return chebyshev;
  throw AgreedError(ExitCode::input,
                    fmt::format("preconditioner chebyshev diverges on {}, which no eigenvalue of a "
                                "positive definite matrix exceeds: use another preconditioner, or none",
                                chebyshev->interval_of(bound)));
}

SPMV_INSTANTIATE(make_chebyshev);

}  // namespace spmv
