#include "core/reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/mixed_bits.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

template <class R>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

/// 24 well-mixed bits of (key, salt) as a number in [-1, 1): exact in float.
template <class R>
R mixed(std::uint64_t key, std::uint64_t salt) {
  return static_cast<R>(static_cast<std::int64_t>(mixed_bits(key, salt) >> 40) - (std::int64_t{1} << 23)) /
         static_cast<R>(1 << 23);
}

}  // namespace

template <class T>
T x_value(gidx column, unsigned number) {
  const auto key = static_cast<std::uint64_t>(column);
  if constexpr (is_complex<T>) {
    return T(mixed<RealOf<T>>(key, 2 * std::uint64_t{number}),
             mixed<RealOf<T>>(key, 2 * std::uint64_t{number} + 1));
  } else {
    return mixed<T>(key, 2 * std::uint64_t{number});
  }
}

namespace {

template <class T, class X>
Reference<T> product_with(const RowBlock<T>& block, const X& x_at) {
  using R = RealOf<T>;
  using W = typename Wider<R>::type;
  Reference<T> reference;
  const auto rows = static_cast<std::size_t>(block.rows());
  reference.y.resize(rows);
  reference.bound.resize(rows);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    W re = 0, im = 0, magnitude = 0;
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k) {
      const T a = block.value[static_cast<std::size_t>(k)];
      const T x = x_at(block.col[static_cast<std::size_t>(k)]);
      if constexpr (is_complex<T>) {
        const W ar = a.real(), ai = a.imag(), xr = x.real(), xi = x.imag();
        re += ar * xr - ai * xi;
        im += ar * xi + ai * xr;
        magnitude += std::hypot(ar, ai) * std::hypot(xr, xi);
      } else {
        re += static_cast<W>(a) * static_cast<W>(x);
        magnitude += std::abs(static_cast<W>(a) * static_cast<W>(x));
      }
    }
    if constexpr (is_complex<T>)
      reference.y[i] = T(static_cast<R>(re), static_cast<R>(im));
    else
      reference.y[i] = static_cast<T>(re);
    // Sums on the way to y may be as large as that of the magnitudes, whatever y is; a complex product is the
    // sum of two.
    constexpr R most = std::numeric_limits<R>::max() / R(is_complex<T> ? 2 : 1);
    if (!(magnitude <= most)) {
      reference.bound[i] = std::numeric_limits<R>::infinity();
      continue;
    }
    const auto terms = static_cast<W>(block.row_ptr[i + 1] - block.row_ptr[i]);
    // Below the smallest normal number the error is absolute, not relative.
    reference.bound[i] = static_cast<R>(
        2 * terms * (std::numeric_limits<R>::epsilon() * magnitude + std::numeric_limits<R>::denorm_min()));
  }
  return reference;
}

}  // namespace

template <class T>
Reference<T> reference_product(const RowBlock<T>& block, unsigned number) {
  return product_with(block, [number](gidx column) { return x_value<T>(column, number); });
}

template <class T>
Reference<T> reference_product_of(const RowBlock<T>& block, const std::function<T(gidx)>& x) {
  return product_with(block, x);
}

template <class T>
Overflow find_overflow(const Reference<T>& reference) {
  Overflow overflow;
  for (std::size_t i = 0; i < reference.bound.size(); ++i)
    if (std::isinf(reference.bound[i]) && overflow.rows++ == 0) overflow.first = static_cast<gidx>(i);
  return overflow;
}

template <class T>
Mismatch compare(const T* y, const Reference<T>& reference) {
  Mismatch mismatch;
  for (std::size_t i = 0; i < reference.y.size(); ++i) {
    const double error = std::abs(y[i] - reference.y[i]);
    if (error <= reference.bound[i]) continue;
    ++mismatch.rows_wrong;
    const double ratio =
        std::isnan(error) ? std::numeric_limits<double>::infinity() : error / reference.bound[i];
    if (mismatch.worst_row < 0 || ratio > mismatch.worst_ratio) {
      mismatch.worst_row = static_cast<gidx>(i);
      mismatch.worst_ratio = ratio;
    }
  }
  return mismatch;
}

SPMV_INSTANTIATE(x_value);
SPMV_INSTANTIATE(reference_product);
SPMV_INSTANTIATE(reference_product_of);
SPMV_INSTANTIATE(find_overflow);
SPMV_INSTANTIATE(compare);

}  // namespace spmv
