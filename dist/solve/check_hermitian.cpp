#include "dist/solve/check_hermitian.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/random_vector.hpp"

namespace spmv {
namespace {

/// The number for people.
template <class S>
std::string text_of(const S& number) {
  const std::complex<double> z = to_standard(number);
  return z.imag() == 0 ? fmt::format("{:.9g}", z.real())
                       : fmt::format("{:.9g} {:+.9g} i", z.real(), z.imag());
}

/// Sums of one combination over all ranks, in slots 0 and 1. Waits.
template <class T>
struct TwoSums {
  ScalarOf<T> first, second;
};
template <class T>
TwoSums<T> sums_of(Workspace<T>& on, T* a, T* b, T* c, T* d) {
  Combination<T> sums(on.rows());
  const auto first = sums.vector(a), second = sums.vector(b), third = sums.vector(c), fourth = sums.vector(d);
  sums.sum(0, first, second);
  sums.sum(1, third, fourth);
  on.combine(sums);
  on.add_up();
  return {on.read(0), on.read(1)};
}

}  // namespace

template <class T>
void check_hermitian(Workspace<T>& on, const std::string& who, const std::string& advice) {
  Buffer<T> u, v, au, av;
  on.communicator().together([&] {
    u = random_vector(on, 0);
    v = random_vector(on, 1);
    au = on.make_vector();
    av = on.make_vector();
  });
  on.multiply(u.data(), au.data());
  on.multiply(v.data(), av.data());
  const auto [u_av, au_v] = sums_of(on, u.data(), av.data(), au.data(), v.data());
  const auto [au_au, av_av] = sums_of(on, au.data(), au.data(), av.data(), av.data());
  const auto [u_u, v_v] = sums_of(on, u.data(), u.data(), v.data(), v.data());
  // An element of A v differs from the true one by some eps times |A| |v|, and the signs of both are random.
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  const double size =
      std::sqrt(real_part(u_u) * real_part(av_av)) + std::sqrt(real_part(au_au) * real_part(v_v));
  const double difference = std::abs(to_standard(u_av) - to_standard(au_v));
  constexpr double slack = 64;
  if (!std::isfinite(size) || !std::isfinite(difference) || difference <= slack * eps * size) return;
  throw AgreedError(
      ExitCode::input,
      fmt::format(
          "the matrix is not {}: (u, A v) is {} and (A u, v) is {} for two random vectors u and v, and {} "
          "needs them to be equal{}",
          is_complex<T> ? "hermitian" : "symmetric", text_of(u_av), text_of(au_v), who, advice));
}

SPMV_INSTANTIATE(check_hermitian);

}  // namespace spmv
