// Blocks of b x b: one lane per block row, b sums a lane.
#pragma once

#include <type_traits>

#include "kernels/packed/packed_device.cuh"
#include "kernels/parts/x_access.cuh"

namespace spmv {

/// Adds to the sums of the lane's block row what its part of a slice has, all of whose values are of one kind.
template <int b, bool holes, ValueKind kind, class T, class X, class D>
__device__ __forceinline__ void add_blocks(const PackedView<T>& a, const Slice& slice, const ThreadWork& work,
                                           lidx length, const X& x, D (&sum)[b]) {
  constexpr int blocks = b < 3 ? 4 : b == 3 ? 2 : 1;  // in flight together
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const ReadOnce once(a.kept_share);
  const D* const dictionary = as_device(a.dictionary);
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
#pragma unroll 1
  for (lidx j = work.part * blocks; j < length; j += a.threads_per_row * blocks) {
    offset c[blocks];
    bool present[blocks];
#pragma unroll
    for (int u = 0; u < blocks; ++u) {
      const lidx at = min(j + u, length - 1);
      const DeviceHead<D> head = load_block_head(heads + at);
      const bool there = has_element(slice, head, at, length, work.lane);
      present[u] = there && j + u < length;
      c[u] = there ? static_cast<offset>(load_block_column(once, slice, head, cols, at, work.lane)) * b : 0;
    }
    D v[blocks][b * b];
    D w[blocks][b];
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        v[u][k] =
            load_value<kind>(once, values, dictionary,
                             lone_at(static_cast<offset>(min(j + u, length - 1)) * (b * b) + k, work.lane));
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int i = 0; i < b; ++i) w[u][i] = !holes || c[u] + i < a.cols ? x(c[u] + i) : D{};
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        if (present[u] && (!holes || !is_hole(v[u][k])))
          sum[k / b] = multiply_add(v[u][k], w[u][k % b], sum[k / b]);
  }
}

/// Multiplies the rows of thread block number `block`. Called by all threads of the block. `holes`: PackedView::holes may be
/// set; `shared`: shared memory for an element of each thread.
template <int b, bool holes, class T, class X, class D>
__device__ __forceinline__ void multiply_block_rows(const PackedView<T>& a, lidx block, const X& x,
                                                    SummedRows<T>& rows, bool add_to_y, D* shared) {
  const ThreadWork work = find_work(block, a.threads_per_row);
  const lidx s = work.group + work.local / slice_rows;
  const offset block_row = row_of(s, work.lane);
  D sum[b] = {};
  {
    const Slice slice = load_slice(a.slice, s, a.slices);
    const lidx length = find_length(a, slice, block_row);
    with_kind_of_each(slice.values(),
                      [&](auto kind) { add_blocks<b, holes, kind.value>(a, slice, work, length, x, sum); });
  }
  if (!meet(work, a.threads_per_row, sum, shared)) return;
#pragma unroll
  for (int i = 0; i < b; ++i) {
    const offset row = block_row * b + i;
    if (row < a.rows) store_row(rows, a.row_list, row, sum[i], add_to_y);
  }
}

template <int b>
inline constexpr int block_kernel_threads = b > 3 ? 256 : 512;
template <int b>
inline constexpr int block_kernels_per_multiprocessor = b > 3 ? 2 : 1;

/// Calls launch(b, holes), both as types that have a `value`, for the size of the view's blocks.
template <class T, class Launch>
void for_block_size(const PackedView<T>& view, bool holes, const Launch& launch) {
  const auto of_size = [&](auto b) {
    if (holes)
      launch(b, std::true_type{});
    else
      launch(b, std::false_type{});
  };
  switch (view.b) {
    case 2:
      return of_size(std::integral_constant<int, 2>{});
    case 3:
      return of_size(std::integral_constant<int, 3>{});
    case 4:
      return of_size(std::integral_constant<int, 4>{});
    case 5:
      return of_size(std::integral_constant<int, 5>{});
    default:
      return of_size(std::integral_constant<int, most_entry_block>{});
  }
}

}  // namespace spmv
