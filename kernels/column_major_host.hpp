// The host product of formats that store a chunk of rows column by column.
#pragma once

#include <algorithm>
#include <complex>

#include <omp.h>

#include "core/value_type.hpp"
#include "kernels/balanced_split.hpp"
#include "kernels/column_major.hpp"
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

/// Asks for the elements below those at `column`, of the same column in the next chunk: a long row is more
/// streams than the processor's own prefetcher follows. May ask for what is behind the array; that does
/// nothing.
template <class Element>
void prefetch_next_chunk(const Element* column) {
  constexpr int per_line = 64 / sizeof(Element);
  for (int i = chunk_rows; i < 2 * chunk_rows; i += per_line) __builtin_prefetch(column + i);
}

/// The chunk of `count` rows from row `first` on. Lanes whose row has ended neither load nor multiply.
template <class View, class ColStart>
void multiply_chunk(const View& a, ColStart col_start, offset first, int count, const typename View::Value* x,
                    typename View::Value* y, Update update) {
  using T = typename View::Value;
  const lidx* length = a.row_length + first;
  const auto [shortest, longest] = std::minmax_element(length, length + count);
  RowSums<T, chunk_rows> sums;
  for (lidx j = 0; j < *shortest; ++j) {
    const T* value = a.value + col_start(j) + first;
    const lidx* col = a.col + col_start(j) + first;
    prefetch_next_chunk(value);
    prefetch_next_chunk(col);
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

/// y = A x or y += A x for a view whose element j of row i is at col_start(j) + i, with its chunk_ptr. Rows
/// of a chunk go through the SIMD lanes side by side; every thread takes one contiguous run of chunks.
template <class View, class ColStart>
void multiply_columns(const View& a, ColStart col_start, const typename View::Value* x,
                      typename View::Value* y, Update update) {
  const offset chunks = chunk_count(a.rows);
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_part(a.chunk_ptr, chunks, part + 1, parts);
    for (offset chunk = first_of_part(a.chunk_ptr, chunks, part, parts); chunk < last; ++chunk) {
      const offset first = chunk * chunk_rows;
      const int count = static_cast<int>(std::min<offset>(chunk_rows, a.rows - first));
      multiply_chunk(a, col_start, first, count, x, y, update);
    }
  }
}

}  // namespace spmv
