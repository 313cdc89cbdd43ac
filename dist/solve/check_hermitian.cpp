#include "dist/solve/check_hermitian.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/random_vector.hpp"

namespace spmv {
namespace {

/// Of each row, the power of two that makes its largest element and that of its column about 1: (d A d) of a hermitian A has no
/// element that is much larger, whatever the sizes of the rows. In the basis. Local.
template <class T>
std::vector<T> row_scales(Workspace<T>& on) {
  const Magnitudes& magnitudes = on.matrix().magnitudes();
  constexpr int most = sizeof(RealOf<T>) == sizeof(float) ? 60 : 300;
  std::vector<T> scales;
  for (const int e : magnitudes.of_row) {
    const int below = e == Magnitudes::none ? 0 : magnitudes.largest - e;
    scales.push_back(T(std::ldexp(RealOf<T>(1), std::min(below / 2, most))));
  }
  return on.matrix().to_basis(scales);
}

template <class T>
void upload(Workspace<T>& on, Buffer<T>& to, const std::vector<T>& values) {
  if (!values.empty()) on.matrix().backend()->upload(to.data(), values.data(), values.size() * sizeof(T));
}

/// v = d v
template <class T>
void scale_elements(Workspace<T>& on, Buffer<T>& d, Buffer<T>& v) {
  Combination<T> c(on.rows());
  const auto scales = c.vector(d.data()), vector = c.vector(v.data());
  c.multiply(vector, scales, vector);
  on.combine(c);
}

/// (a, b) and (c, d) of all ranks. Waits.
template <class T>
struct TwoSums {
  std::complex<double> first, second;
};
template <class T>
TwoSums<T> sums_of(Workspace<T>& on, Buffer<T>& a, Buffer<T>& b, Buffer<T>& c, Buffer<T>& d) {
  Combination<T> sums(on.rows());
  const auto first = sums.vector(a.data()), second = sums.vector(b.data());
  const auto third = sums.vector(c.data()), fourth = sums.vector(d.data());
  sums.sum(0, first, second);
  sums.sum(1, third, fourth);
  on.combine(sums);
  on.add_up();
  return {to_standard(on.read(0)), to_standard(on.read(1))};
}

}  // namespace

template <class T>
void check_hermitian(Workspace<T>& on, const std::string& who, const std::string& advice) {
  Buffer<T> d, u, v, au, av;
  on.communicator().together([&] {
    d = on.make_vector();
    u = random_vector(on, 0);
    v = random_vector(on, 1);
    au = on.make_vector();
    av = on.make_vector();
    upload(on, d, row_scales(on));
  });
  scale_elements(on, d, u);
  scale_elements(on, d, v);
  on.multiply(u.data(), au.data());
  on.multiply(v.data(), av.data());
  const auto [u_av, au_v] = sums_of(on, u, av, au, v);
  scale_elements(on, d, au);
  scale_elements(on, d, av);
  const auto [au_au, av_av] = sums_of(on, au, au, av, av);
  // Rows of d A d have about the same size, so the square root of the sum of their squares is what differences of random
  // signs add up to.
  const double size = std::sqrt(au_au.real()) + std::sqrt(av_av.real());
  const double difference = std::abs(u_av - au_v);
  // Elements that were added up in another order differ by some eps; sums of many rows do, too.
  const auto rows = static_cast<double>(on.communicator().sum(gidx{on.rows()}));
  constexpr double of_elements = sizeof(RealOf<T>) == sizeof(float) ? 4e-6 : 1e-12;
  const double rounding = of_elements + std::numeric_limits<double>::epsilon() * std::sqrt(rows);
  if (!std::isfinite(size) || !std::isfinite(difference) || difference <= rounding * size) return;
  throw AgreedError(
      ExitCode::input,
      fmt::format(
          "the matrix is not {}: (u, A v) and (A u, v) differ by {:.1e} for two random vectors u and v, "
          "{:.1e} times what rounding may leave, and {} needs them to be equal{}",
          is_complex<T> ? "hermitian" : "symmetric", difference / size, difference / (rounding * size), who,
          advice));
}

SPMV_INSTANTIATE(check_hermitian);

}  // namespace spmv
