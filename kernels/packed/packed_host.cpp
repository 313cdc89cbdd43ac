// One slice after the other, its rows in SIMD lanes. Diagonals load neighbours in x together; for elements that lie anywhere see
// packed_elements_host.hpp.
#include <algorithm>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/packed/packed_elements_host.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_lanes.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// Lengths of the slice's block rows, 0 after the last.
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
void add_diagonal(const Head<T>& head, const T* x, const T* values, RowLanes<T, slice_rows>& sums) {
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
void add_diagonals(const PackedView<T>& a, const Slice& slice, const T* x, RowLanes<T, slice_rows>& sums) {
  const unsigned char* const values = a.value + slice.value_begin();
  T unpacked[slice_rows] = {};
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    if (slice.values() == ValueKind::constant) {
      add_diagonal<true>(head, x, &head.value, sums);
    } else if (slice.values() == ValueKind::full) {
      const T* const value = reinterpret_cast<const T*>(values) + lone_at(j, 0);
      packed_host::ask_for_more(value, slice_rows * sizeof(T));
      add_diagonal<false>(head, x, value, sums);
    } else {
      packed_host::unpack_values(slice, head, packed_host::values_of(a, slice), {j}, unpacked);
      add_diagonal<false>(head, x, unpacked, sums);
    }
  }
}

/// Adds a slice of blocks; the sum of row r of a lane's block is at r * slice_rows + lane.
template <class T>
void add_blocks(const PackedView<T>& a, const Slice& slice, const lidx* length, const T* x,
                RowLanes<T, slice_rows * most_entry_block>& sums) {
  const T no_value = hole<T>();
  const int scalars = a.b * a.b;
  lidx col[slice_rows];
  T value[slice_rows];
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    packed_host::unpack_columns(slice, head, a.col + slice.col_begin(), j, col);
    for (int k = 0; k < scalars; ++k) {
      packed_host::unpack_values(slice, head, packed_host::values_of(a, slice), {j, scalars, k}, value);
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
    RowLanes<T, slice_rows> sums;
    if (slice.columns() == ColumnKind::diagonals)
      add_diagonals(a, slice, x, sums);
    else
      packed_host::add_elements(a, slice, length, x, by_gathers, sums);
    write_rows(a, first, sums, y, update);
  } else {
    RowLanes<T, slice_rows * most_entry_block> sums;
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
      packed_host::unpack_columns(slice, head, a.col + slice.col_begin(), j, col);
      for (int lane = 0; lane < slice_rows; ++lane)
        if (has_element(slice, head, j, length[lane], lane))
          unpack.col[unpack.row_ptr[first + lane] + done[lane]] = col[lane];
      for (int k = 0; k < scalars; ++k) {
        packed_host::unpack_values(slice, head, packed_host::values_of(a, slice), {j, scalars, k}, value);
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
