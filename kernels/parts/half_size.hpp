// Values in half their size: float for double. Which values are exact in it is asked here and nowhere else.
#pragma once

#include <complex>

namespace spmv {

/// A number format of half the size that some values fit exactly; T itself where there is none.
template <class T>
struct HalfOf {
  using Type = T;
};
template <>
struct HalfOf<double> {
  using Type = float;
};
template <>
struct HalfOf<std::complex<double>> {
  using Type = std::complex<float>;
};

/// Whether HalfOf<T> holds exactly this value, so that every bit comes back. False for a NaN, whose bits
/// might not come back, and for every value of a type that has no half size.
constexpr bool fits_half(float) {
  return false;
}
constexpr bool fits_half(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}
template <class R>
constexpr bool fits_half(const std::complex<R>& value) {
  const R* parts = reinterpret_cast<const R*>(&value);
  return fits_half(parts[0]) && fits_half(parts[1]);
}

/// The same value in half the size.
constexpr void to_half(float from, float& to) {
  to = from;
}
constexpr void to_half(double from, float& to) {
  to = static_cast<float>(from);
}
template <class R, class H>
constexpr void to_half(const std::complex<R>& from, std::complex<H>& to) {
  const R* parts = reinterpret_cast<const R*>(&from);
  H* halves = reinterpret_cast<H*>(&to);
  halves[0] = static_cast<H>(parts[0]);
  halves[1] = static_cast<H>(parts[1]);
}

}  // namespace spmv
