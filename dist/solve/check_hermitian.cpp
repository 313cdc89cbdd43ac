#include "dist/solve/check_hermitian.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

/// Of each row, the power of two that makes its largest element and that of its column about 1: (d 2^-k A d) of a hermitian A
/// has no element that is much larger, whatever the sizes of the rows. In the basis. Local.
template <class T>
std::vector<T> row_scales(const Operator<T>& A) {
  // Kernels multiply by A as given: their sums are not to be beyond the type, nor where it has fewer digits.
  constexpr int margin = sizeof(RealOf<T>) == sizeof(float) ? 12 : 30;
  const int k = A.exponent(), off = k > 0 ? -margin : k < 0 ? margin : 0;
  std::vector<T> scales;
  for (const int e : A.matrix().magnitudes().of_row)
    scales.push_back(T(std::ldexp(RealOf<T>(1), off + (e == Magnitudes::none ? 0 : (k - e) / 2))));
  return scales;
}

/// Whether 2^-k A v is finite for a v that is not scaled by rows. Waits. Collective.
template <class T>
bool has_finite_products(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& v,
                         const VectorRef<T>& product) {
  on.run(Combination<T>().set(v, std::ldexp(1.0, -A.exponent() / 2) * v));
  on.multiply(A, v, product);
  return std::isfinite(on.norm(product));
}

/// (a, b) and (c, d) of all ranks. Waits.
template <class T>
std::pair<std::complex<double>, std::complex<double>> sums_of(Workspace<T>& on, const Vector<T>& a,
                                                              const Vector<T>& b, const Vector<T>& c,
                                                              const Vector<T>& d) {
  on.run(Combination<T>().sum(0, a, b).sum(1, c, d));
  on.add_up();
  return {to_standard(on.read(0)), to_standard(on.read(1))};
}

}  // namespace

template <class T>
void check_hermitian(Workspace<T>& on, const Operator<T>& A, const std::string& who,
                     const std::string& advice) {
  Vector<T> d, u, v, au, av;
  on.communicator().together([&] {
    d = A.make_vector();
    u = random_vector(on, A, 0);
    v = random_vector(on, A, 1);
    au = A.make_vector();
    av = A.make_vector();
    upload(on.backend(), d, A.matrix().to_basis(in_every_column(A, row_scales(A))));
  });
  on.run(Combination<T>().multiply(u, d, u).multiply(v, d, v));
  on.multiply(A, u, au);
  on.multiply(A, v, av);
  const auto [u_av, au_v] = sums_of(on, u, av, au, v);
  on.run(Combination<T>().multiply(au, d, au).multiply(av, d, av));
  const auto [au_au, av_av] = sums_of(on, au, au, av, av);
  // Rows of d A d have about the same size, so the square root of the sum of their squares is what differences of random
  // signs add up to.
  const double size = std::sqrt(au_au.real()) + std::sqrt(av_av.real());
  const double difference = std::abs(u_av - au_v);
  // Elements that were added up in another order differ by some eps; sums of many rows do, too.
  const auto rows = static_cast<double>(on.communicator().sum(gidx{A.rows()}));
  constexpr double of_elements = sizeof(RealOf<T>) == sizeof(float) ? 4e-6 : 1e-12;
  const double rounding = of_elements + std::numeric_limits<double>::epsilon() * std::sqrt(rows);
  const auto refuse = [&](const std::string& why) {
    throw AgreedError(ExitCode::input,
                      fmt::format("the matrix is not {}: {}, and {} needs it to be{}",
                                  is_complex<T> ? "hermitian" : "symmetric", why, who, advice));
  };
  if (!std::isfinite(size) || !std::isfinite(difference)) {
    on.communicator().together([&] { u = random_vector(on, A, 0); });
    if (has_finite_products(on, A, u, au))
      refuse("an element is out of all proportion to those in the row of its counterpart");
    return;
  }
  if (difference <= rounding * size) return;
  refuse(
      fmt::format("(u, A v) and (A u, v) differ by {:.1e} for two random vectors u and v, {:.1e} times what "
                  "rounding may leave",
                  difference / size, difference / (rounding * size)));
}

SPMV_INSTANTIATE(check_hermitian);

}  // namespace spmv
