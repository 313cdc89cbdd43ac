// The four value types, chosen once by name; everything below the application is a template on T.
#pragma once

#include <complex>
#include <type_traits>

namespace spmv {

template <class T>
struct ValueTraits {
  using Real = T;
  static constexpr bool is_complex = false;
  static constexpr int flops_per_nonzero = 2;  // one multiplication, one addition
};

template <class R>
struct ValueTraits<std::complex<R>> {
  using Real = R;
  static constexpr bool is_complex = true;
  static constexpr int flops_per_nonzero = 8;  // 4 multiplications, 4 additions
};

template <class T>
using RealOf = typename ValueTraits<T>::Real;

/// The type of the same kind in single precision; T itself where that is its precision.
template <class T>
using SingleOf = std::conditional_t<ValueTraits<T>::is_complex, std::complex<float>, float>;

template <class T>
inline constexpr bool is_complex = ValueTraits<T>::is_complex;

/// Name as in --value and in every report.
template <class T>
constexpr const char* value_name() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "complex_float";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "complex_double";
}

}  // namespace spmv
