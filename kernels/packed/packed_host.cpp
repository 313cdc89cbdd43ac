// One slice after the other, its rows in SIMD lanes; every slice column is unpacked before it is multiplied.
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

/// Adds a slice of single elements. Along a diagonal that all lanes have, neighbours in x are loaded together;
/// elsewhere each element by itself, since gather instructions with a mask are slow on many processors.
template <class T>
void add_elements(const PackedView<T>& a, const Slice& slice, const lidx* length, const T* x,
                  RowSums<T, slice_rows>& sums) {
  constexpr std::uint32_t all_lanes = 0xffffffffu;
  const bool short_form = slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant;
  const bool along_diagonals = slice.columns() == ColumnKind::diagonals;
  const lidx shortest = *std::min_element(length, length + slice_rows);
  lidx col[slice_rows];
  T value[slice_rows];
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    if (short_form && head.lanes == all_lanes) {
      const T* const first = x + head.base;
#pragma omp simd
      for (int lane = 0; lane < slice_rows; ++lane) sums.add_product_to(lane, head.value, first, lane);
      continue;
    }
    unpack_columns(slice, head, a.col + slice.col_begin(), j, col);
    unpack_values(slice, head, a.value + slice.value_begin(), a.dictionary, j, 1, 0, value);
    if (along_diagonals && head.lanes == all_lanes) {
      const T* const first = x + head.base;
#pragma omp simd
      for (int lane = 0; lane < slice_rows; ++lane) sums.add_product_to(lane, value[lane], first, lane);
    } else if (!along_diagonals && j < shortest) {
      for (int lane = 0; lane < slice_rows; ++lane) sums.add(lane, value[lane], load_alone(x, col[lane]));
    } else {
      for (int lane = 0; lane < slice_rows; ++lane)
        if (has_element(slice, head, j, length[lane], lane))
          sums.add(lane, value[lane], load_alone(x, col[lane]));
    }
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
void multiply_slice(const PackedView<T>& a, lidx s, const T* x, T* y, Update update) {
  const Slice& slice = a.slice[s];
  const offset first = static_cast<offset>(s) * slice_rows;
  lidx length[slice_rows];
  find_lengths(a, first, length);
  if (a.b == 1) {
    RowSums<T, slice_rows> sums;
    add_elements(a, slice, length, x, sums);
    write_rows(a, first, sums, y, update);
  } else {
    RowSums<T, slice_rows * most_entry_block> sums;
    add_blocks(a, slice, length, x, sums);
    write_rows(a, first, sums, y, update);
  }
}

}  // namespace

template <class T>
void multiply_host(const PackedView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.slice_elements, a.slices, part, parts);
    const offset last = first_of_part(a.slice_elements, a.slices, part + 1, parts);
    run_best([&] {
      for (offset s = first; s < last; ++s) multiply_slice(a, static_cast<lidx>(s), x, y, update);
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
