// Chunks of rows, one SIMD lane a row. Every thread takes one contiguous run of chunks.
#include <algorithm>
#include <type_traits>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_sums.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {
namespace {

/// Asks for `count` elements that are `ahead` of those at `column`, which the next chunk needs: the
/// processor's own prefetcher neither follows as many streams as a long row has, nor is it far enough ahead
/// in one. May ask for what is behind the array; that does nothing.
template <class Element>
void prefetch(const Element* column, offset ahead, int count) {
  constexpr int per_line = cache_line_bytes / sizeof(Element);
  for (int i = 0; i < count; i += per_line) __builtin_prefetch(column + ahead + i);
}

/// The first `to` columns, which all `count` rows from `first` on have. `lanes` is count if that is known
/// when compiling, else 0: a known number keeps the sums in registers.
template <int lanes, class View, class Sums>
void add_full_columns(const View& a, offset first, int count, lidx to, const typename View::Value* x,
                      Sums& sums) {
  constexpr bool in_one_piece = std::is_same_v<typename View::Layout, Sliced>;
  const int n = lanes > 0 ? lanes : count;
  const offset ahead = in_one_piece ? offset{n} * to : n;
  for (lidx j = 0; j < to; ++j) {
    const typename View::Value* value = a.value + a.layout.at(first, j);
    const lidx* col = a.col + a.layout.at(first, j);
    prefetch(value, ahead, n);
    prefetch(col, ahead, n);
#pragma omp simd
    for (int i = 0; i < n; ++i) sums.add_product(i, value, x, col[i]);
  }
}

/// The chunk of `count` rows from row `first` on. Lanes whose row has ended neither load nor multiply.
template <class View>
void multiply_chunk(const View& a, offset first, int count, const typename View::Value* x,
                    typename View::Value* y, Update update) {
  using T = typename View::Value;
  RowSums<T, most_chunk_rows> sums;
  lidx shortest = 0;
  lidx longest = a.width;
  if (a.row_length != nullptr) {
    const auto [low, high] = std::minmax_element(a.row_length + first, a.row_length + first + count);
    shortest = *low;
    longest = *high;
  }
  if (count == slice_rows)
    add_full_columns<slice_rows>(a, first, count, shortest, x, sums);
  else if (count == most_chunk_rows)
    add_full_columns<most_chunk_rows>(a, first, count, shortest, x, sums);
  else
    add_full_columns<0>(a, first, count, shortest, x, sums);
  for (lidx j = shortest; j < longest; ++j) {
    const T* value = a.value + a.layout.at(first, j);
    const lidx* col = a.col + a.layout.at(first, j);
    if (a.row_length != nullptr) {
      const lidx* length = a.row_length + first;
#pragma omp simd
      for (int i = 0; i < count; ++i)
        if (j < length[i]) sums.add_product(i, value, x, col[i]);
    } else {
#pragma omp simd
      for (int i = 0; i < count; ++i)
        if (col[i] != no_col) sums.add_product(i, value, x, col[i]);
    }
  }
  for (int i = 0; i < count; ++i) {
    T& target = y[a.row_list ? a.row_list[first + i] : first + i];
    target = update == Update::add ? target + sums.get(i) : sums.get(i);
  }
}

}  // namespace

template <class View, class Layout>
void multiply_host(const View& a, const typename View::Value* x, typename View::Value* y, Update update) {
  const int chunk_rows = a.layout.chunk_rows();
  const offset chunks = chunk_count(a.rows, chunk_rows);
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_part(a.chunk_ptr, chunks, part + 1, parts);
    for (offset chunk = first_of_part(a.chunk_ptr, chunks, part, parts); chunk < last; ++chunk) {
      const offset first = chunk * chunk_rows;
      multiply_chunk(a, first, static_cast<int>(std::min<offset>(chunk_rows, a.rows - first)), x, y, update);
    }
  }
}

SPMV_INSTANTIATE_WITH(multiply_host, StridedView);
SPMV_INSTANTIATE_WITH(multiply_host, JaggedView);
SPMV_INSTANTIATE_WITH(multiply_host, SlicedView);

}  // namespace spmv
