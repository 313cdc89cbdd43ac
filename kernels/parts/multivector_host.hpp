// The host product of one row with k columns at once. For host compilers only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/types.hpp"
#include "core/value_type.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// Two or more neighbouring real numbers in a SIMD register.
template <class R, int lanes>
struct LanesOf {
  // NOLINTNEXTLINE(modernize-use-using): compilers ignore the attribute in a using.
  typedef R Type __attribute__((vector_size(lanes * sizeof(R))));
};
inline constexpr int register_bytes = 32;

/// Elements of a row that are added up apart from each other: an addition waits for the one before. Complex products have two sums
/// in any case.
template <class T>
inline constexpr int row_chains = is_complex<T> ? 1 : 2;

/// Sums of one row for `width` neighbouring columns, in SIMD registers. Every sum is added up in the order of the row's
/// elements, chain by chain, whatever the width: a column's bits do not depend on how many there are.
template <class T, int width>
class ColumnSums {
  using R = RealOf<T>;
  static constexpr int reals = is_complex<T> ? 2 * width : width;
  static constexpr int lanes = std::min(reals, register_bytes / static_cast<int>(sizeof(R)));
  static constexpr int registers = reals / lanes;
  static_assert(registers * lanes == reals);
  using Lanes = typename LanesOf<R, lanes>::Type;

 public:
  /// Adds value * x[c] to every sum c of this chain.
  void add(int chain, const T& value, const T* x) {
    const R* const parts = reinterpret_cast<const R*>(&value);
    const R* const from = reinterpret_cast<const R*>(x);
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      Lanes elements;
      std::memcpy(&elements, from + r * lanes, sizeof elements);
      by_real_[chain][r] += parts[0] * elements;
      if constexpr (is_complex<T>) by_imag_[r] += parts[1] * elements;
    }
  }
  /// Stores the sums of all chains, but for the first `done` columns.
  void store(T* y, int done, Update update) const {
    Lanes all[registers];
    for (int r = 0; r < registers; ++r) {
      all[r] = by_real_[0][r];
      for (int chain = 1; chain < row_chains<T>; ++chain) all[r] += by_real_[chain][r];
    }
    R by_real[reals], by_imag[reals] = {};
    std::memcpy(by_real, all, sizeof by_real);
    if constexpr (is_complex<T>) std::memcpy(by_imag, by_imag_, sizeof by_imag);
    for (int c = done; c < width; ++c) {
      T sum;
      if constexpr (is_complex<T>)
        sum = T(by_real[2 * c] - by_imag[2 * c + 1], by_real[2 * c + 1] + by_imag[2 * c]);
      else
        sum = by_real[c];
      y[c] = update == Update::add ? y[c] + sum : sum;
    }
  }

 private:
  Lanes by_real_[row_chains<T>][registers] = {};       // of both parts of x with the real parts of values
  Lanes by_imag_[is_complex<T> ? registers : 1] = {};  // and with the imaginary ones
};

/// Columns that are multiplied together at most: as many as have their sums in registers.
template <class T>
inline constexpr int columns_together = sizeof(T) > 8 ? 8 : 16;

/// `width` columns from number `first` on, of which the first `done` are not stored.
template <int width, class T, class Row>
void multiply_column_group(const Row& row, const T* x, T* y, int first, int done, int k, Update update) {
  ColumnSums<T, width> sums;
  const auto add = [&](int chain, offset j) { sums.add(chain, row.value(j), x + row.col(j) * k + first); };
  constexpr int chains = row_chains<T>;
  static_assert(chains <= 2);
  offset j = 0;
  for (; j + chains <= row.length; j += chains) {
    add(0, j);
    if constexpr (chains == 2) add(1, j + 1);
  }
  if (j < row.length) add(0, j);
  sums.store(y + first, done, update);
}

/// The columns from `first` on, in groups of `width`; what is left in one more such group that begins with columns which are done,
/// or in smaller ones. The row is read again for every group, from the first cache.
template <int width, class T, class Row>
void multiply_column_groups(const Row& row, const T* x, T* y, int first, int k, Update update) {
  for (; first + width <= k; first += width) multiply_column_group<width>(row, x, y, first, 0, k, update);
  const int left = k - first;
  if (left == 0) return;
  if (k >= width && (2 * left > width || width == 2))
    return multiply_column_group<width>(row, x, y, k - width, width - left, k, update);
  if constexpr (width > 2) multiply_column_groups<width / 2>(row, x, y, first, k, update);
}

/// One row's product with all k columns, at least 2. `row` has a length, and value(j) and col(j) of its elements; `y` is the row's first
/// element of k.
template <class T, class Row>
void multiply_row_columns(const Row& row, const T* x, T* y, int k, Update update) {
  multiply_column_groups<columns_together<T>>(row, x, y, 0, k, update);
}

/// Elements of a row that stand side by side.
template <class T>
struct PlainRow {
  const T* values;
  const lidx* cols;
  offset length;
  const T& value(offset j) const { return values[j]; }
  offset col(offset j) const { return cols[j]; }
};

/// Elements of a row that are `step` apart.
template <class T>
struct SteppedRow {
  const T* values;
  const lidx* cols;
  offset step;
  offset length;
  const T& value(offset j) const { return values[j * step]; }
  offset col(offset j) const { return cols[j * step]; }
};

/// Where the k sums of a row go.
template <class T>
T* row_of_columns(T* y, const lidx* row_list, offset row, int k) {
  return y + (row_list != nullptr ? row_list[row] : row) * k;
}

}  // namespace spmv
