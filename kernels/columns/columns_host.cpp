// Chunks of rows. Every thread takes one contiguous run of chunks. The elements of a row are added up one after
// the other, in whichever way x is loaded, so that both ways give the same bits: by gather instructions, with
// a SIMD lane for every row of the chunk; or each element by an instruction of its own.
#include <algorithm>
#include <type_traits>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_lanes.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/parts/x_loads.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// The cache that elements are prefetched into.
enum class Cache { first, second };

/// Prefetches `count` elements that are `ahead` of those at `column`: the processor's own prefetcher may neither follow as many
/// streams as a long row has, nor be far enough ahead in one. Prefetching beyond the array does nothing.
template <Cache cache = Cache::first, class Element>
void prefetch(const Element* column, offset ahead, int count) {
  constexpr int per_line = cache_line_bytes / sizeof(Element);
  constexpr int for_reading = 0, locality = cache == Cache::first ? 3 : 2;
  for (int i = 0; i < count; i += per_line) __builtin_prefetch(column + ahead + i, for_reading, locality);
}

/// The first `to` columns, which all `count` rows from `first` on have. `lanes` is count if that is known
/// when compiling, else 0: a known number keeps the sums in registers.
template <int lanes, class View, class Sums>
void gather_full_columns(const View& a, offset first, int count, lidx to, const typename View::Value* x,
                         Sums& sums) {
  constexpr bool in_one_piece = std::is_same_v<typename View::Placement, Sliced>;
  const int n = lanes > 0 ? lanes : count;
  const offset ahead = in_one_piece ? offset{n} * to : n;
  for (lidx j = 0; j < to; ++j) {
    const typename View::Value* value = a.value + a.placement.at(first, j);
    const lidx* col = a.col + a.placement.at(first, j);
    prefetch(value, ahead, n);
    prefetch(col, ahead, n);
#pragma omp simd
    for (int i = 0; i < n; ++i) sums.add_product(i, value, x, col[i]);
  }
}

// Where every element of x is loaded alone, rows are multiplied four to a register:
constexpr int of_four = 4;
/// Of columns that lie far apart, so many rows at a time: whole lines of values and columns.
constexpr int rows_at_once = 16;
/// In slices elements are prefetched so far ahead.
constexpr offset elements_ahead_in_slice = 256;

/// add(number) for the numbers of `fours` times four rows. Real sums stay in registers only where the loop is unrolled, which
/// compilers that are not told the processor decide against; complex ones find no room there, and take longer unrolled.
template <int fours, class T, class Add>
void each_four(const Add& add) {
  if constexpr (is_complex<T>) {
    for (int four = 0; four < fours; ++four) add(four);
  } else {
#pragma GCC unroll 16
    for (int four = 0; four < fours; ++four) add(four);
  }
}

/// Columns `from` to `to` - 1, which all of the `fours` times four rows from `first` on have, with an instruction of its own for
/// every element of x.
template <int fours, class View>
void load_full_columns(const View& a, offset first, lidx from, lidx to, const typename View::Value* x,
                       FourLanes<typename View::Value>* sums) {
  using T = typename View::Value;
  constexpr bool in_one_piece = std::is_same_v<typename View::Placement, Sliced>;
  // In one piece the next elements of these rows follow; otherwise those of later rows of the same column.
  constexpr offset ahead = in_one_piece ? elements_ahead_in_slice : offset{8} * rows_at_once;
  // The lines ahead of all columns of a long row would fill a first cache, and push out what is read next.
  constexpr Cache cache = in_one_piece ? Cache::first : Cache::second;
  FourLanes<T> here[fours];  // in registers: nothing else refers to them
  std::copy_n(sums, fours, here);
  for (lidx j = from; j < to; ++j) {
    const T* value = a.value + a.placement.at(first, j);
    const lidx* col = a.col + a.placement.at(first, j);
    if constexpr (fours > 1) {
      prefetch<cache>(value, ahead, of_four * fours);
      prefetch<cache>(col, ahead, of_four * fours);
    }
    each_four<fours, T>([&](int four) {
      typename FourLanes<T>::Elements values = {}, elements = {};
      here[four].load(value + offset{of_four} * four, values);
      load_four(x, col + offset{of_four} * four, elements);
      here[four].add(values, elements);
    });
  }
  std::copy_n(here, fours, sums);
}

/// What the rows have after their first `from` columns, one row after the other: few elements, of which
/// neighbouring rows' stand side by side.
template <class View, class Sums>
void add_rests(const View& a, offset first, int count, lidx from, const typename View::Value* x, Sums& sums) {
  for (int i = 0; i < count; ++i) {
    const lidx length = a.row_length != nullptr ? a.row_length[first + i] : a.width;
    for (lidx j = from; j < length; ++j) {
      const offset at = a.placement.at(first, j) + i;
      if (a.row_length == nullptr && a.col[at] == no_col) break;
      sums.add(i, a.value[at], load_alone(x, a.col[at]));
    }
  }
}

/// Columns that all rows of the chunk have.
template <class View>
lidx common_columns(const View& a, offset first, int count) {
  if (a.row_length != nullptr) return *std::min_element(a.row_length + first, a.row_length + first + count);
  lidx common = a.width;
  for (; common > 0; --common) {
    const lidx* const col = a.col + a.placement.at(first, common - 1);
    if (std::find(col, col + count, no_col) == col + count) break;
  }
  return common;
}

template <class View, class Sums>
void write_rows(const View& a, offset first, int count, const Sums& sums, typename View::Value* y,
                Update update) {
  for (int i = 0; i < count; ++i) {
    auto& target = y[a.row_list ? a.row_list[first + i] : first + i];
    target = update == Update::add ? target + sums.get(i) : sums.get(i);
  }
}

/// Whether enough of so many rows with these lengths have column j for lanes that do nothing to cost less than elements one after
/// the other.
template <int rows>
bool pays_as_column(const lidx* length, lidx j) {
  constexpr int least_busy = rows / 4;
  int busy = 0;
#pragma omp simd reduction(+ : busy)
  for (int i = 0; i < rows; ++i) busy += length[i] > j ? 1 : 0;
  return busy >= least_busy;
}

/// Columns of a slice from number `from` on that only some of its rows have, as long as gathering them is worth it. Returns the
/// column after the last.
template <class View, class Sums>
lidx gather_part_columns(const View& a, offset first, lidx from, const typename View::Value* x, Sums& sums) {
  const lidx* const length = a.row_length + first;
  for (lidx j = from;; ++j) {
    if (!pays_as_column<slice_rows>(length, j)) return j;
    const typename View::Value* value = a.value + a.placement.at(first, j);
    const lidx* col = a.col + a.placement.at(first, j);
    prefetch(value, slice_rows, slice_rows);
    prefetch(col, slice_rows, slice_rows);
#pragma omp simd
    for (int i = 0; i < slice_rows; ++i)
      if (length[i] > j) sums.add_product(i, value, x, col[i]);
  }
}

/// A slice, or the `count` rows that are left of one, from row `first` on, with gather instructions.
template <class View>
void gather_slice(const View& a, offset first, int count, const typename View::Value* x,
                  typename View::Value* y, Update update) {
  RowLanes<typename View::Value, slice_rows> sums;
  lidx done = common_columns(a, first, count);
  if (count == slice_rows)
    gather_full_columns<slice_rows>(a, first, count, done, x, sums);
  else
    gather_full_columns<0>(a, first, count, done, x, sums);
  if (count == slice_rows && a.row_length != nullptr) done = gather_part_columns(a, first, done, x, sums);
  add_rests(a, first, count, done, x, sums);
  write_rows(a, first, count, sums, y, update);
}

/// A longer chunk.
template <class View>
void gather_rows(const View& a, offset first, int count, const typename View::Value* x,
                 typename View::Value* y, Update update) {
  RowLanes<typename View::Value, most_chunk_rows> sums;
  const lidx common = common_columns(a, first, count);
  if (count == most_chunk_rows)
    gather_full_columns<most_chunk_rows>(a, first, count, common, x, sums);
  else
    gather_full_columns<0>(a, first, count, common, x, sums);
  add_rests(a, first, count, common, x, sums);
  write_rows(a, first, count, sums, y, update);
}

/// The chunk of `count` rows from row `first` on, with gather instructions.
template <class View>
void gather_chunk(const View& a, offset first, int count, const typename View::Value* x,
                  typename View::Value* y, Update update) {
  if (count <= slice_rows)
    gather_slice(a, first, count, x, y, update);
  else
    gather_rows(a, first, count, x, y, update);
}

/// What gather_part_columns() does, with an instruction of its own for every element of x.
template <int fours, class View>
lidx load_part_columns(const View& a, offset first, lidx from, const typename View::Value* x,
                       FourLanes<typename View::Value>* sums) {
  using Sums = FourLanes<typename View::Value>;
  constexpr int rows = of_four * fours;
  typename Sums::Numbers lengths[fours] = {};
  for (int four = 0; four < fours; ++four)
    Sums::load(a.row_length + first + offset{of_four} * four, lengths[four]);
  for (lidx j = from;; ++j) {
    if (!pays_as_column<rows>(a.row_length + first, j)) return j;
    const auto* value = a.value + a.placement.at(first, j);
    const lidx* col = a.col + a.placement.at(first, j);
    prefetch(value, elements_ahead_in_slice, rows);
    prefetch(col, elements_ahead_in_slice, rows);
    each_four<fours, typename View::Value>([&](int four) {
      typename Sums::Elements values = {}, elements = {};
      sums[four].load(value + offset{of_four} * four, values);
      load_four(x, col + offset{of_four} * four, elements);
      sums[four].add_where(lengths[four], j, values, elements);
    });
  }
}

/// Columns that all of four rows have, which have `least` at least.
template <class View>
lidx columns_of_four(const View& a, offset first, lidx least) {
  if (a.row_length != nullptr) return common_columns(a, first, of_four);
  for (; least < a.width; ++least) {
    const lidx* const col = a.col + a.placement.at(first, least);
    if (std::find(col, col + of_four, no_col) != col + of_four) break;
  }
  return least;
}

/// `fours` times four rows from row `first` on, with a load for every element of x: first the columns that all of them have, then
/// those that many of a slice have, or that four neighbours have, whose lengths are much the same where rows are sorted.
template <int fours, class View>
void load_rows(const View& a, offset first, const typename View::Value* x, typename View::Value* y,
               Update update) {
  constexpr bool is_slice = std::is_same_v<typename View::Placement, Sliced> && of_four * fours >= slice_rows;
  FourLanes<typename View::Value> sums[fours];
  lidx done = common_columns(a, first, of_four * fours);
  load_full_columns<fours>(a, first, 0, done, x, sums);
  if constexpr (is_slice)
    if (a.row_length != nullptr) done = load_part_columns<fours>(a, first, done, x, sums);
  for (int four = 0; four < fours; ++four, first += of_four) {
    const lidx four_have = is_slice || fours == 1 ? done : columns_of_four(a, first, done);
    load_full_columns<1>(a, first, done, four_have, x, sums + four);
    RowLanes<typename View::Value, of_four> each;
    for (int i = 0; i < of_four; ++i) each.set(i, sums[four].get(i));
    add_rests(a, first, of_four, four_have, x, each);
    write_rows(a, first, of_four, each, y, update);
  }
}

/// Of the `left` rows from row `first` on as many as whole pieces of `fours` times four rows hold; both are moved after them.
template <int fours, class View>
void load_pieces(const View& a, offset& first, int& left, const typename View::Value* x,
                 typename View::Value* y, Update update) {
  constexpr int rows = of_four * fours;
  for (; left >= rows; left -= rows, first += rows) load_rows<fours>(a, first, x, y, update);
}

/// The chunk of `count` rows from row `first` on, with a load for every element of x, `together` rows at a time where they are
/// many.
template <int together, class View>
void load_chunk(const View& a, offset first, int count, const typename View::Value* x,
                typename View::Value* y, Update update) {
  int left = count;
  load_pieces<together / of_four>(a, first, left, x, y, update);
  if constexpr (together > rows_at_once) load_pieces<rows_at_once / of_four>(a, first, left, x, y, update);
  load_pieces<2>(a, first, left, x, y, update);
  load_pieces<1>(a, first, left, x, y, update);
  RowLanes<typename View::Value, of_four> sums;
  add_rests(a, first, left, 0, x, sums);
  write_rows(a, first, left, sums, y, update);
}

/// multiply(first, count) for the rows of every chunk from number `chunk` to `last` - 1. A function of its own for every way to
/// multiply them: compilers keep fewer sums in registers where one has several.
template <class View, class Multiply>
void each_chunk(const View& a, offset chunk, offset last, const Multiply& multiply) {
  const int chunk_rows = a.placement.host_chunk_rows();
  run_best([&] {
    for (; chunk < last; ++chunk) {
      const offset first = chunk * chunk_rows;
      multiply(first, static_cast<int>(std::min<offset>(chunk_rows, a.rows - first)));
    }
  });
}

/// Chunks with a load for every element of x.
template <class View>
void load_chunks(const View& a, offset chunk, offset last, const typename View::Value* x,
                 typename View::Value* y, Update update) {
  const auto load = [&](auto together) {
    each_chunk(a, chunk, last,
               [&](offset first, int count) { load_chunk<together.value>(a, first, count, x, y, update); });
  };
  if constexpr (!std::is_same_v<typename View::Placement, Sliced>)
    load(std::integral_constant<int, rows_at_once>{});
  else if (a.placement.host_chunk_rows() > slice_rows)
    load(std::integral_constant<int, most_chunk_rows>{});
  else
    load(std::integral_constant<int, slice_rows>{});
}

}  // namespace

template <class View, class Placement>
void multiply_host(const View& a, const typename View::Value* x, typename View::Value* y, Update update,
                   bool by_gathers) {
  const offset chunks = chunk_count(a.rows, a.placement.host_chunk_rows());
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.chunk_ptr, chunks, part, parts);
    const offset last = first_of_part(a.chunk_ptr, chunks, part + 1, parts);
    if (by_gathers)
      each_chunk(a, first, last, [&](offset row, int count) { gather_chunk(a, row, count, x, y, update); });
    else
      load_chunks(a, first, last, x, y, update);
  }
}

SPMV_INSTANTIATE_WITH(multiply_host, StridedView);
SPMV_INSTANTIATE_WITH(multiply_host, JaggedView);
SPMV_INSTANTIATE_WITH(multiply_host, SlicedView);

}  // namespace spmv
