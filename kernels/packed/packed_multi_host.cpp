// Packed slices and k columns at once: a slice is unpacked, then multiplied row by row.
#include <vector>

#include "core/value_types.hpp"
#include "kernels/packed/diagonals_multi_host.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/packed/packed_elements_host.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/multivector_host.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// A slice unpacked, lane by lane for every slice column, and one of its rows.
template <class T>
struct Unpacked {
  std::vector<lidx> col;  // of blocks; not of diagonals
  std::vector<T> value;   // b x b of a block after each other; not where they are stored like this
  std::vector<lidx> row_col;
  std::vector<T> row_value;
  std::vector<T> sums;  // of all rows

  void resize(lidx width, int b, int k) {
    const auto elements = static_cast<std::size_t>(width) * slice_rows;
    const std::size_t scalars = static_cast<std::size_t>(b) * b;
    if (col.size() < elements) {
      col.resize(elements);
      value.resize(elements * scalars);
      row_col.resize(static_cast<std::size_t>(width) * b);
      row_value.resize(row_col.size());
    }
    sums.resize(static_cast<std::size_t>(slice_rows) * k);
  }
};

/// Unpacks the columns, unless they are diagonals, and values. Returns where the values are.
template <class T>
const T* unpack_slice(const PackedView<T>& a, const Slice& slice, Unpacked<T>& to) {
  const int scalars = a.b * a.b;
  const auto stored = packed_host::values_of(a, slice);
  for (lidx j = 0; j < slice.width(); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    if (slice.columns() != ColumnKind::diagonals)
      packed_host::unpack_columns(slice, head, a.col + slice.col_begin(), j,
                                  to.col.data() + offset{j} * slice_rows);
    for (int i = 0; i < scalars && slice.values() != ValueKind::full; ++i)
      packed_host::unpack_values(slice, head, stored, {j, scalars, i},
                                 to.value.data() + (offset{j} * scalars + i) * slice_rows);
  }
  return slice.values() == ValueKind::full ? reinterpret_cast<const T*>(stored.bytes) : to.value.data();
}

/// Prefetches a lane's share of what comes after so many bytes of a stream: as much again. The processor's own prefetcher does not
/// follow the columns of a slice.
inline void prefetch_next(const unsigned char* begin, offset bytes, int lane) {
  const unsigned char* const from = begin + bytes + bytes / slice_rows * lane;
  for (offset at = 0; at < bytes / slice_rows; at += cache_line_bytes) __builtin_prefetch(from + at);
}

/// The elements of a lane's row, of those slice columns that are in a list.
template <class T>
struct DiagonalRow {
  const Head<T>* heads;
  const T* values;
  int lane;
  const lidx* list;
  offset length;
  const T& value(offset j) const { return values[offset{list[j]} * slice_rows + lane]; }
  offset col(offset j) const { return heads[list[j]].base + lane; }
};

/// Lists the diagonals on which the lane has an element. Returns how many there are.
template <class T>
offset list_diagonals(const Head<T>* heads, lidx width, int lane, lidx* list) {
  offset count = 0;
  for (lidx j = 0; j < width; ++j) {  // no branch: one that the lane lacks is overwritten by the next
    list[count] = j;
    count += heads[j].lanes >> lane & 1u;
  }
  return count;
}

/// The product of a lane's row of single elements.
template <class T>
void multiply_lane(const PackedView<T>& a, const Slice& slice, offset row, const T* value, const T* x, T* y,
                   int k, Update update, Unpacked<T>& unpacked) {
  const int lane = static_cast<int>(row % slice_rows);
  T* const to = row_of_columns(y, a.row_list, row, k);
  if (slice.columns() == ColumnKind::diagonals) {
    const Head<T>* const heads = a.head + slice.head_at;
    lidx* const list = unpacked.row_col.data();
    const offset length = list_diagonals(heads, slice.width(), lane, list);
    multiply_row_columns(DiagonalRow<T>{heads, value, lane, list, length}, x, to, k, update);
  } else {
    multiply_row_columns(
        SteppedRow<T>{value + lane, unpacked.col.data() + lane, slice_rows, a.row_length[row]}, x, to, k,
        update);
  }
}

/// Gathers the elements of row `r` of a lane's block row.
template <class T>
offset gather_row(const PackedView<T>& a, const Slice& slice, lidx length, int lane, int r, const T* value,
                  Unpacked<T>& from) {
  const bool diagonals = slice.columns() == ColumnKind::diagonals;
  const T no_value = hole<T>();
  offset count = 0;
  for (lidx j = 0; j < (diagonals ? slice.width() : length); ++j) {
    const Head<T>& head = a.head[slice.head_at + j];
    if (diagonals && (head.lanes >> lane & 1u) == 0) continue;
    const lidx first = (diagonals ? head.base + lane : from.col[offset{j} * slice_rows + lane]) * a.b;
    for (int i = 0; i < a.b; ++i) {
      const T& element = value[((offset{j} * a.b + r) * a.b + i) * slice_rows + lane];
      if (a.holes && bits_of(element) == bits_of(no_value)) continue;
      from.row_col[count] = first + i;
      from.row_value[count++] = element;
    }
  }
  return count;
}

/// A slice of constant diagonals that has all its rows.
template <class T>
void multiply_constant_diagonals(const PackedView<T>& a, offset s, const T* x, T* y, int k, Update update,
                                 std::vector<T>& sums) {
  packed_host::multiply_diagonals(a, a.slice[s], x, k, sums.data());
  for (int lane = 0; lane < slice_rows; ++lane) {
    T* const to = row_of_columns(y, a.row_list, s * slice_rows + lane, k);
    const T* const sum = sums.data() + offset{lane} * k;
    for (int j = 0; j < k; ++j) to[j] = update == Update::add ? to[j] + sum[j] : sum[j];
  }
}

/// The product of a lane's block row.
template <class T>
void multiply_block_lane(const PackedView<T>& a, const Slice& slice, offset block_row, const T* value,
                         const T* x, T* y, int k, Update update, Unpacked<T>& unpacked) {
  const int lane = static_cast<int>(block_row % slice_rows);
  for (int r = 0; r < a.b && block_row * a.b + r < a.rows; ++r) {
    const offset length = gather_row(a, slice, a.row_length[block_row], lane, r, value, unpacked);
    multiply_row_columns(PlainRow<T>{unpacked.row_value.data(), unpacked.row_col.data(), length}, x,
                         row_of_columns(y, a.row_list, block_row * a.b + r, k), k, update);
  }
}

template <class T>
void multiply_slice(const PackedView<T>& a, offset s, const T* x, T* y, int k, Update update,
                    Unpacked<T>& unpacked) {
  const Slice& slice = a.slice[s];
  unpacked.resize(slice.width(), a.b, k);
  const bool constant_diagonals =
      slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant;
  if (constant_diagonals && (s + 1) * slice_rows <= a.rows)
    return multiply_constant_diagonals(a, s, x, y, k, update, unpacked.sums);
  const T* const value = unpack_slice(a, slice, unpacked);
  for (int lane = 0; lane < slice_rows && s * slice_rows + lane < a.block_rows; ++lane) {
    prefetch_next(a.col + slice.col_begin(), col_bytes(slice.columns(), slice.width()), lane);
    prefetch_next(a.value + slice.value_begin(), value_bytes<T>(slice.values(), slice.width(), a.b), lane);
    if (a.b == 1)
      multiply_lane(a, slice, s * slice_rows + lane, value, x, y, k, update, unpacked);
    else
      multiply_block_lane(a, slice, s * slice_rows + lane, value, x, y, k, update, unpacked);
  }
}

}  // namespace

template <class T>
void multiply_columns_host(const PackedView<T>& a, const T* x, T* y, int k, Update update) {
  for_balanced_parts(a.slice_elements, a.slices, [&](offset first, offset last) {
    Unpacked<T> unpacked;
    run_best([&] {
      for (offset s = first; s < last; ++s) multiply_slice(a, s, x, y, k, update, unpacked);
    });
  });
}

SPMV_INSTANTIATE(multiply_columns_host);

}  // namespace spmv
