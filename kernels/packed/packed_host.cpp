// One slice after the other, its rows in SIMD lanes. Diagonals load neighbours in x together; elements that lie anywhere are
// unpacked four slice columns at a time.
#include <algorithm>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_sums.hpp"
#include "kernels/parts/x_loads.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// Columns of slice column j; what lanes without an element get means nothing.
template <class T>
void unpack_columns(const Slice& slice, const Head<T>& head, const unsigned char* cols, lidx j, lidx* out) {
  switch (slice.columns()) {
    case ColumnKind::diagonals:
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + lane;
      break;
    case ColumnKind::distance8:
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + cols[grouped_at(j, lane)];
      break;
    case ColumnKind::distance16: {
      const auto* distances = reinterpret_cast<const std::uint16_t*>(cols);
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + distances[grouped_at(j, lane)];
      break;
    }
    case ColumnKind::full:
      std::copy_n(reinterpret_cast<const lidx*>(cols) + lone_at(j, 0), slice_rows, out);
      break;
  }
}

/// Value k of the `scalars` values of all lanes' element j.
template <class T>
void unpack_values(const Slice& slice, const Head<T>& head, const unsigned char* values, const T* dictionary,
                   lidx j, int scalars, int k, T* out) {
  using Half = typename HalfOf<T>::Type;
  const offset at = lone_at(static_cast<offset>(j) * scalars + k, 0);
  switch (slice.values()) {
    case ValueKind::constant:
      std::fill_n(out, slice_rows, head.value);
      break;
    case ValueKind::dictionary:
      for (int lane = 0; lane < slice_rows; ++lane)
        out[lane] = dictionary[values[scalars == 1 ? grouped_at(j, lane) : at + lane]];
      break;
    case ValueKind::half: {
      const Half* halves = reinterpret_cast<const Half*>(values) + at;
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = static_cast<T>(halves[lane]);
      break;
    }
    case ValueKind::full:
      std::copy_n(reinterpret_cast<const T*>(values) + at, slice_rows, out);
      break;
  }
}

/// Asks for what comes some slice columns behind these bytes, which are read in their order: far enough ahead for memory to
/// be busy while a slice is multiplied. A quarter less time where values are read (two cores of an Intel Xeon).
void prefetch_ahead(const void* begin, std::size_t bytes) {
  constexpr std::size_t ahead = 4096, line = 64;
  const char* const place = static_cast<const char*>(begin) + ahead;
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(place + at);
}

/// Lengths of the slice's block rows, 0 behind the last.
template <class T>
void find_lengths(const PackedView<T>& a, offset first, lidx* length) {
  for (int lane = 0; lane < slice_rows; ++lane)
    length[lane] = first + lane < a.block_rows ? a.row_length[first + lane] : 0;
}

/// Whether the lane has an element in slice column j.
template <class T>
bool has_element(const Slice& slice, const Head<T>& head, lidx j, lidx length, int lane) {
  return slice.columns() == ColumnKind::diagonals ? (head.lanes >> lane & 1u) != 0 : j < length;
}

/// Adds what a diagonal has in all lanes, or in those of its head: neighbours in x are loaded together, and nothing of x that
/// no lane refers to. `values` of all lanes, or the one that all have.
template <bool one_value, class T>
void add_diagonal(const Head<T>& head, const T* x, const T* values, RowSums<T, slice_rows>& sums) {
  constexpr std::uint32_t all_lanes = 0xffffffffu;
  const T* const first = x + head.base;
  const std::uint32_t lanes = head.lanes;
  const T one = values[0];  // in a register
  if (lanes == all_lanes) {
#pragma omp simd
    for (int lane = 0; lane < slice_rows; ++lane)
      sums.add_product_to(lane, one_value ? one : values[lane], first, lane);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane)
    if ((lanes >> lane & 1u) != 0) sums.add_product_to(lane, one_value ? one : values[lane], first, lane);
}

/// Adds a slice whose columns are diagonals.
template <class T>
void add_diagonals(const PackedView<T>& a, const Slice& slice, const T* x, RowSums<T, slice_rows>& sums) {
  const unsigned char* const values = a.value + slice.value_begin();
  T unpacked[slice_rows] = {};
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    if (slice.values() == ValueKind::constant) {
      add_diagonal<true>(head, x, &head.value, sums);
    } else if (slice.values() == ValueKind::full) {
      const T* const value = reinterpret_cast<const T*>(values) + lone_at(j, 0);
      prefetch_ahead(value, slice_rows * sizeof(T));
      add_diagonal<false>(head, x, value, sums);
    } else {
      unpack_values(slice, head, values, a.dictionary, j, 1, 0, unpacked);
      add_diagonal<false>(head, x, unpacked, sums);
    }
  }
}

constexpr int group_columns = 4;  // slice columns whose elements of a lane lie together, see grouped_at()
template <class Element>
using Group = Element[group_columns][slice_rows];

/// to_lane(k, lane, element) for elements of slice columns j to j + 3, which lie together. One loop over lanes: compilers make
/// whole vectors of it, while one over each column by itself would load every element alone.
template <class Element, class ToLane>
void each_of_group(const Element* first, const ToLane& to_lane) {
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane) {
    const Element* const of_lane = first + offset{lane} * group_columns;
    to_lane(0, lane, of_lane[0]);
    to_lane(1, lane, of_lane[1]);
    to_lane(2, lane, of_lane[2]);
    to_lane(3, lane, of_lane[3]);
  }
}

/// Columns of slice columns j to j + 3, of which the slice has the first `count`.
template <class T>
void unpack_column_group(const Slice& slice, const Head<T>* heads, const unsigned char* cols, lidx j,
                         int count, Group<lidx>& out) {
  lidx base[group_columns] = {};
  for (int k = 0; k < count; ++k) base[k] = heads[k].base;
  const auto add_base = [&](int k, int lane, lidx distance) { out[k][lane] = base[k] + distance; };
  if (slice.columns() == ColumnKind::distance8)
    each_of_group(cols + grouped_at(j, 0), add_base);
  else if (slice.columns() == ColumnKind::distance16)
    each_of_group(reinterpret_cast<const std::uint16_t*>(cols) + grouped_at(j, 0), add_base);
  else
    for (int k = 0; k < count; ++k)
      std::copy_n(reinterpret_cast<const lidx*>(cols) + lone_at(j + k, 0), slice_rows, out[k]);
}

/// Likewise their values.
template <class T>
void unpack_value_group(const Slice& slice, const Head<T>* heads, const unsigned char* values,
                        const T* dictionary, lidx j, int count, Group<T>& out) {
  if (slice.values() == ValueKind::dictionary)
    each_of_group(values + grouped_at(j, 0),
                  [&](int k, int lane, unsigned char number) { out[k][lane] = dictionary[number]; });
  else
    for (int k = 0; k < count; ++k) unpack_values(slice, heads[k], values, dictionary, j + k, 1, 0, out[k]);
}

/// Adds slice column j, whose elements lie anywhere: those of lanes that are longer.
template <class T>
void add_column(lidx j, const lidx* length, const lidx* col, const T* value, const T* x, bool by_gathers,
                RowSums<T, slice_rows>& sums) {
  if (!by_gathers) {
    for (int lane = 0; lane < slice_rows; ++lane)
      if (j < length[lane]) sums.add(lane, value[lane], load_alone(x, col[lane]));
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane)
    if (j < length[lane]) sums.add_product_to(lane, value[lane], x, col[lane]);
}

/// The same where all lanes are.
template <class T>
void add_whole_column(const lidx* col, const T* value, const T* x, bool by_gathers,
                      RowSums<T, slice_rows>& sums) {
  if (!by_gathers) {
    for (int lane = 0; lane < slice_rows; ++lane) sums.add(lane, value[lane], load_alone(x, col[lane]));
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane) sums.add_product_to(lane, value[lane], x, col[lane]);
}

/// Adds a slice of single elements that lie anywhere, by gather instructions or each loaded by itself.
template <class T>
void add_elements(const PackedView<T>& a, const Slice& slice, const lidx* length, const T* x, bool by_gathers,
                  RowSums<T, slice_rows>& sums) {
  const lidx shortest = *std::min_element(length, length + slice_rows);
  const lidx width = slice.width();
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const offset column_step = slice_rows * column_bytes(slice.columns());
  const offset value_step = value_bytes<T>(slice.values(), width, 1) / std::max<lidx>(width, 1);
  Group<lidx> col = {};
  Group<T> value = {};
  for (lidx first = 0; first < width; first += group_columns) {
    const int count = static_cast<int>(std::min<lidx>(group_columns, width - first));
    const Head<T>* const heads = a.head + slice.head_at + first;
    prefetch_ahead(cols + first * column_step, count * column_step);
    prefetch_ahead(values + first * value_step, count * value_step);
    unpack_column_group(slice, heads, cols, first, count, col);
    unpack_value_group(slice, heads, values, a.dictionary, first, count, value);
    for (int k = 0; k < count; ++k)
      if (first + k < shortest)
        add_whole_column(col[k], value[k], x, by_gathers, sums);
      else
        add_column(first + k, length, col[k], value[k], x, by_gathers, sums);
  }
}

/// Adds a slice of blocks; the sum of row r of a lane's block is at r * slice_rows + lane.
template <class T>
void add_blocks(const PackedView<T>& a, const Slice& slice, const lidx* length, const T* x,
                RowSums<T, slice_rows * most_entry_block>& sums) {
  const T no_value = hole<T>();
  const int scalars = a.b * a.b;
  lidx col[slice_rows];
  T value[slice_rows];
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    unpack_columns(slice, head, a.col + slice.col_begin(), j, col);
    for (int k = 0; k < scalars; ++k) {
      unpack_values(slice, head, a.value + slice.value_begin(), a.dictionary, j, scalars, k, value);
      const int in_row = k / a.b, in_col = k % a.b;
      for (int lane = 0; lane < slice_rows; ++lane) {
        if (!has_element(slice, head, j, length[lane], lane) ||
            (a.holes && bits_of(value[lane]) == bits_of(no_value)))
          continue;
        sums.add_product_to(in_row * slice_rows + lane, value[lane], x, col[lane] * a.b + in_col);
      }
    }
  }
}

/// Writes the sums of the slice whose first block row is `first`.
template <class T, class Sums>
void write_rows(const PackedView<T>& a, offset first, const Sums& sums, T* y, Update update) {
  for (int r = 0; r < a.b; ++r) {
    for (int lane = 0; lane < slice_rows; ++lane) {
      const offset row = (first + lane) * a.b + r;
      if (first + lane >= a.block_rows || row >= a.rows) continue;
      T& target = y[a.row_list ? a.row_list[row] : row];
      const T sum = sums.get(r * slice_rows + lane);
      target = update == Update::add ? target + sum : sum;
    }
  }
}

template <class T>
void multiply_slice(const PackedView<T>& a, lidx s, const T* x, T* y, Update update, bool by_gathers) {
  const Slice& slice = a.slice[s];
  const offset first = static_cast<offset>(s) * slice_rows;
  lidx length[slice_rows];
  find_lengths(a, first, length);
  if (a.b == 1) {
    RowSums<T, slice_rows> sums;
    if (slice.columns() == ColumnKind::diagonals)
      add_diagonals(a, slice, x, sums);
    else
      add_elements(a, slice, length, x, by_gathers, sums);
    write_rows(a, first, sums, y, update);
  } else {
    RowSums<T, slice_rows * most_entry_block> sums;
    add_blocks(a, slice, length, x, sums);
    write_rows(a, first, sums, y, update);
  }
}

}  // namespace

template <class T>
void multiply_host(const PackedView<T>& a, const T* x, T* y, Update update, bool by_gathers) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.slice_elements, a.slices, part, parts);
    const offset last = first_of_part(a.slice_elements, a.slices, part + 1, parts);
    run_best([&] {
      for (offset s = first; s < last; ++s) multiply_slice(a, static_cast<lidx>(s), x, y, update, by_gathers);
    });
  }
}

template <class T>
void unpack_host(const Unpack<T>& unpack) {
  const PackedView<T>& a = unpack.view;
  const int scalars = a.b * a.b;
  for (lidx s = 0; s < a.slices; ++s) {
    const Slice& slice = a.slice[s];
    const offset first = static_cast<offset>(s) * slice_rows;
    lidx length[slice_rows];
    find_lengths(a, first, length);
    lidx done[slice_rows] = {};  // elements of every lane
    for (lidx j = 0; j < slice.width(); ++j) {
      const Head<T>& head = a.head[slice.head_at + j];
      lidx col[slice_rows];
      T value[slice_rows];
      unpack_columns(slice, head, a.col + slice.col_begin(), j, col);
      for (int lane = 0; lane < slice_rows; ++lane)
        if (has_element(slice, head, j, length[lane], lane))
          unpack.col[unpack.row_ptr[first + lane] + done[lane]] = col[lane];
      for (int k = 0; k < scalars; ++k) {
        unpack_values(slice, head, a.value + slice.value_begin(), a.dictionary, j, scalars, k, value);
        for (int lane = 0; lane < slice_rows; ++lane)
          if (has_element(slice, head, j, length[lane], lane))
            unpack.value[(unpack.row_ptr[first + lane] + done[lane]) * scalars + k] = value[lane];
      }
      for (int lane = 0; lane < slice_rows; ++lane)
        done[lane] += has_element(slice, head, j, length[lane], lane) ? 1 : 0;
    }
  }
}

SPMV_INSTANTIATE(multiply_host);
SPMV_INSTANTIATE(unpack_host);

}  // namespace spmv
