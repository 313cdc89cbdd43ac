// The host product of formats that store a chunk of rows column by column.
#pragma once

#include <algorithm>

#include "core/value_type.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// Sums of `capacity` neighbouring rows. Complex numbers are kept as separate real and imaginary parts,
/// because std::complex's product checks for NaN and does not vectorise.
template <class T, int capacity>
struct RowSums {
  T sum[capacity] = {};

  void add_product(int i, const T* value, const T* x, lidx col) { sum[i] += value[i] * x[col]; }
  T get(int i) const { return sum[i]; }
};

template <class R, int capacity>
struct RowSums<std::complex<R>, capacity> {
  using T = std::complex<R>;
  R real[capacity] = {};
  R imag[capacity] = {};

  void add_product(int i, const T* value, const T* x, lidx col) {
    const R* v = reinterpret_cast<const R*>(value) + 2 * i;
    const R* w = reinterpret_cast<const R*>(x) + 2 * static_cast<offset>(col);
    real[i] += v[0] * w[0] - v[1] * w[1];
    imag[i] += v[0] * w[1] + v[1] * w[0];
  }
  T get(int i) const { return {real[i], imag[i]}; }
};

/// y = A x or y += A x for a view whose element j of row i is at col_start(j) + i. Rows of a chunk go through
/// the SIMD lanes side by side; lanes whose row has ended neither load nor multiply.
template <class View, class ColStart>
void multiply_columns(const View& a, ColStart col_start, const typename View::Value* x,
                      typename View::Value* y, Update update) {
  using T = typename View::Value;
  constexpr int chunk_rows = 64;  // long enough for the prefetcher, short enough for the sums to stay in L1
  const offset chunks = (static_cast<offset>(a.rows) + chunk_rows - 1) / chunk_rows;
#pragma omp parallel for schedule(static)
  for (offset chunk = 0; chunk < chunks; ++chunk) {
    const offset first = chunk * chunk_rows;
    const int count = static_cast<int>(std::min<offset>(chunk_rows, a.rows - first));
    const lidx* length = a.row_length + first;
    const auto [shortest, longest] = std::minmax_element(length, length + count);
    RowSums<T, chunk_rows> sums;
    for (lidx j = 0; j < *shortest; ++j) {
      const T* value = a.value + col_start(j) + first;
      const lidx* col = a.col + col_start(j) + first;
#pragma omp simd
      for (int i = 0; i < count; ++i) sums.add_product(i, value, x, col[i]);
    }
    for (lidx j = *shortest; j < *longest; ++j) {
      const T* value = a.value + col_start(j) + first;
      const lidx* col = a.col + col_start(j) + first;
#pragma omp simd
      for (int i = 0; i < count; ++i)
        if (j < length[i]) sums.add_product(i, value, x, col[i]);
    }
    for (int i = 0; i < count; ++i) {
      T& target = y[a.row_list ? a.row_list[first + i] : first + i];
      target = update == Update::add ? target + sums.get(i) : sums.get(i);
    }
  }
}

}  // namespace spmv
