// The host product of one row.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/types.hpp"
#include "kernels/parts/row_sums.hpp"
#include "kernels/parts/x_loads.hpp"

namespace spmv {

/// Rows stand one behind the other, and what comes so many elements later is asked for while one is
/// multiplied: the processor's own prefetcher stops where a page ends. Of 32 to 512 the distance that was best for
/// stencils of 27 points and never far from it for 7 points and power laws, on an AMD EPYC of the fourth generation.
inline constexpr offset elements_ahead = 64;

/// Asks for the elements that come elements_ahead behind `place`. What is behind the end of the array does
/// nothing.
template <class Element>
void prefetch_ahead(const Element* place) {
  __builtin_prefetch(place + elements_ahead);
}

/// sum over j < length of value(j) * x[col(j)]; value, col and prefetch are functors, and prefetch(j) asks for
/// what comes elements_ahead behind element j. Four sums, so that no addition waits for the last one, added up
/// in an order that depends on nothing but `length`. No gather instructions: rows are too short for them on
/// every processor that was tried.
template <class T, class Value, class Col, class Prefetch>
T row_product(offset length, Value value, Col col, Prefetch prefetch, const T* x) {
  constexpr int lanes = 4;
  RowSums<T, lanes> sums;
  const auto add = [&](int lane, offset j) { sums.add(lane, value(j), load_alone(x, col(j))); };
  // The end is looked for behind every element: so a core is surprised by it once, where whole batches and what is left
  // behind them surprised it twice, in rows of many lengths.
  for (offset j = 0; j < length;) {
    prefetch(j);
    add(0, j);
    if (++j == length) break;
    add(1, j);
    if (++j == length) break;
    add(2, j);
    if (++j == length) break;
    add(3, j);
    ++j;
  }
  return (sums.get(0) + sums.get(2)) + (sums.get(1) + sums.get(3));
}

/// The same for a row whose elements stand side by side.
template <class T>
T row_product(const T* value, const lidx* col, offset length, const T* x) {
  return row_product<T>(
      length, [value](offset j) { return value[j]; }, [col](offset j) { return col[j]; },
      [value, col](offset j) {
        prefetch_ahead(value + j);
        prefetch_ahead(col + j);
      },
      x);
}

/// The same for `rows` rows that follow each other and have the same columns: result[r] has the bits of a row_product() of
/// its own. Columns and x are loaded once for all of them. `value`: those of the first row, the other rows' behind them.
template <class T, int rows>
void alike_rows_product(const T* value, const lidx* col, offset length, const T* x, T (&result)[rows]) {
  constexpr int lanes = 4;
  RowSums<T, lanes> sums[rows];
  const offset next =
      std::max<offset>(rows * length, elements_ahead);  // what the same place of the next rows is behind
  const auto add = [&](offset j, auto count) {
    T w[lanes];
    for (int l = 0; l < count; ++l) w[l] = load_alone(x, col[j + l]);
    __builtin_prefetch(col + j + next);
    for (int r = 0; r < rows; ++r) {
      const T* const of_row = value + r * length + j;
      __builtin_prefetch(of_row + next);
      for (int l = 0; l < count; ++l) sums[r].add(l, of_row[l], w[l]);
    }
  };
  offset j = 0;
  for (; j + lanes <= length; j += lanes) add(j, std::integral_constant<int, lanes>{});
  if (j < length) add(j, static_cast<int>(length - j));
  for (int r = 0; r < rows; ++r)
    result[r] = (sums[r].get(0) + sums[r].get(2)) + (sums[r].get(1) + sums[r].get(3));
}

}  // namespace spmv
