// Chunks of rows as in columns_host.cpp, row by row: the lines of a chunk's elements stay in the first cache meanwhile.
#include <algorithm>
#include <type_traits>

#include "core/value_types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/multivector_host.hpp"
#include "kernels/parts/sizes.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// The elements of a row where the placement puts them.
template <class View>
struct PlacedRow {
  const View& a;
  offset row;
  offset length;
  offset at(offset j) const { return a.placement.at(row, static_cast<lidx>(j)); }
  const typename View::Value& value(offset j) const { return a.value[at(j)]; }
  offset col(offset j) const { return a.col[at(j)]; }
};

/// Prefetches the lines of this array that come `ahead` elements after those of the row, every one by one of the rows that it has
/// elements of: the processor's own prefetcher follows fewer streams than a row has elements.
template <class View, class Element>
void prefetch_columns(const View& a, const Element* array, offset row, offset length, offset ahead) {
  constexpr offset of_line = cache_line_bytes / sizeof(Element);
  for (offset j = row % of_line; j < length; j += of_line)
    __builtin_prefetch(array + a.placement.at(row, static_cast<lidx>(j)) + ahead);
}

template <class View>
void multiply_row(const View& a, offset row, offset length, const typename View::Value* x,
                  typename View::Value* y, int k, Update update) {
  constexpr bool is_sliced = std::is_same_v<typename View::Placement, Sliced>;
  // The next slice; or later rows of the same columns.
  const offset ahead = is_sliced ? length * a.placement.host_chunk_rows() : most_chunk_rows;
  prefetch_columns(a, a.value, row, length, ahead);
  prefetch_columns(a, a.col, row, length, ahead);
  if constexpr (std::is_same_v<typename View::Placement, Jagged>) {
    multiply_row_columns(PlacedRow<View>{a, row, length}, x, y, k, update);
  } else {
    const offset first = a.placement.at(row, 0);
    multiply_row_columns(SteppedRow<typename View::Value>{a.value + first, a.col + first,
                                                          a.placement.at(row, 1) - first, length},
                         x, y, k, update);
  }
}

template <class View>
offset length_of(const View& a, offset row) {
  if (a.row_length != nullptr) return a.row_length[row];
  lidx length = 0;
  while (length < a.width && a.col[a.placement.at(row, length)] != no_col) ++length;
  return length;
}

}  // namespace

template <class View, class Placement>
void multiply_columns_host(const View& a, const typename View::Value* x, typename View::Value* y, int k,
                           Update update) {
  const offset chunk_rows = a.placement.host_chunk_rows();
  const offset chunks = chunk_count(a.rows, chunk_rows);
  for_balanced_parts(a.chunk_ptr, chunks, [&](offset first, offset last) {
    const offset last_row = std::min<offset>(last * chunk_rows, a.rows);
    run_best([&] {
      for (offset row = first * chunk_rows; row < last_row; ++row)
        multiply_row(a, row, length_of(a, row), x, row_of_columns(y, a.row_list, row, k), k, update);
    });
  });
}

SPMV_INSTANTIATE_WITH(multiply_columns_host, StridedView);
SPMV_INSTANTIATE_WITH(multiply_columns_host, JaggedView);
SPMV_INSTANTIATE_WITH(multiply_columns_host, SlicedView);

}  // namespace spmv
