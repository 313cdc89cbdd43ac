// Packed slices and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_blocks.cuh"
#include "kernels/packed/packed_device.cuh"
#include "kernels/packed/packed_groups_multi.cuh"
#include "kernels/parts/multivector.cuh"

namespace spmv {
namespace {

/// The place of a thread's row, or block row, in its slice.
struct RowInSlice {
  offset row;
  Slice slice;
  lidx length;
  int lane;
};
template <class T>
__device__ __forceinline__ RowInSlice find_row(const PackedView<T>& a, offset row) {
  const Slice slice = load_slice(a.slice, static_cast<lidx>(row / slice_rows), a.slices);
  return {row, slice, find_length(a, slice, row), static_cast<int>(row % slice_rows)};
}

/// Rows that are multiplied one by one: those of slices that are in no group, or all.
template <class T>
__host__ __device__ __forceinline__ offset rows_one_by_one(const PackedView<T>& a) {
  return a.others > 0 ? static_cast<offset>(a.others) * slice_rows : a.rows;
}

template <int width, class T>
__global__ void __launch_bounds__(multi_block_threads, sizeof(T) >= 8 ? 5 : 6)
    multiply_packed_columns_kernel(const PackedView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                   bool add_to_y) {
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset place = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || place >= rows_one_by_one(a)) return;
  const offset row = a.others > 0 ? row_of(__ldg(a.other + place / slice_rows), place % slice_rows) : place;
  if (row >= a.rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const RowInSlice at = find_row(a, row);
  const Slice& slice = at.slice;
  const lidx length = at.length;
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const ReadOnce once(a.kept_share);
  Bundle<D, width> sum{};
  if (length > 0) {
    // While x is loaded for one batch of slice columns, the next batch is on its way; the last one is loaded again.
    lidx next_c[multi_batch];
    D next_v[multi_batch];
    const auto load = [&](lidx wanted) {
      const lidx j = min(wanted, (length - 1) / multi_batch * multi_batch);
      DeviceHead<D> head[multi_batch];
#pragma unroll
      for (int u = 0; u < multi_batch; ++u) head[u] = load_head(heads + min(j + u, length - 1));
      load_columns(once, slice, head, cols, j, length, at.lane, next_c);
      load_values(once, slice, head, values, as_device(a.dictionary), j, length, at.lane, next_v);
#pragma unroll
      for (int u = 0; u < multi_batch; ++u)
        if (j + u >= length || !has_element(slice, head[u], j + u, length, at.lane)) next_c[u] = no_element;
    };
    load(0);
#pragma unroll 1
    for (lidx j = 0; j < length; j += multi_batch) {
      lidx c[multi_batch];
      D v[multi_batch];
      Bundle<D, width> w[multi_batch];
#pragma unroll
      for (int u = 0; u < multi_batch; ++u) {
        c[u] = next_c[u];
        v[u] = next_v[u];
      }
#pragma unroll
      for (int u = 0; u < multi_batch; ++u) w[u] = bundle.x_at(max(c[u], 0));
      load(j + multi_batch);
#pragma unroll
      for (int u = 0; u < multi_batch; ++u)
        if (c[u] >= 0) sum = multiply_add(v[u], w[u], sum);
    }
  }
  bundle.store(at.row, sum);
}

/// The values of a block.
template <int b, ValueKind kind, class T, class D>
__device__ __forceinline__ void load_block_values(const PackedView<T>& a, const Slice& slice, int lane,
                                                  lidx j, D (&v)[b * b]) {
  const ReadOnce once(a.kept_share);
#pragma unroll
  for (int i = 0; i < b * b; ++i)
    v[i] = load_value<kind>(once, a.value + slice.value_begin(), as_device(a.dictionary),
                            lone_at(static_cast<offset>(j) * (b * b) + i, lane));
}
/// Its column of blocks, or no_element.
template <class T>
__device__ __forceinline__ lidx load_column_of_blocks(const PackedView<T>& a, const Slice& slice, int lane,
                                                      lidx j, lidx length) {
  using D = DeviceValue<T>;
  if (j >= length) return no_element;
  const DeviceHead<D> head =
      load_block_head(reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at + j);
  if (!has_element(slice, head, j, length, lane)) return no_element;
  return load_block_column(ReadOnce(a.kept_share), slice, head, a.col + slice.col_begin(), j, lane);
}

/// Adds all blocks of a block row, the values of which are of one kind. While x is loaded for one, the column of the next is on its
/// way, and so are its values where a thread has registers for two blocks.
template <int b, ValueKind kind, int width, class T, class D>
__device__ __forceinline__ void add_all_blocks(const PackedView<T>& a, const Slice& slice, int lane,
                                               lidx length, const BundleOf<D, width>& bundle,
                                               Bundle<D, width> (&sum)[b]) {
  constexpr bool two = b * b * sizeof(D) <= 128;
  D next_v[two ? b * b : 1];
  lidx next_c = load_column_of_blocks(a, slice, lane, 0, length);
  if constexpr (two)
    if (length > 0) load_block_values<b, kind>(a, slice, lane, 0, next_v);
#pragma unroll 1
  for (lidx j = 0; j < length; ++j) {
    const lidx c = next_c;
    D v[b * b];
    Bundle<D, width> w[b];
    if constexpr (two) {
#pragma unroll
      for (int i = 0; i < b * b; ++i) v[i] = next_v[i];
    } else {
      load_block_values<b, kind>(a, slice, lane, j, v);
    }
#pragma unroll
    for (int i = 0; i < b; ++i) {
      const offset at = static_cast<offset>(c) * b + i;
      w[i] = c >= 0 && at < a.cols ? bundle.x_at(static_cast<lidx>(at)) : Bundle<D, width>{};
    }
    next_c = load_column_of_blocks(a, slice, lane, j + 1, length);
    if constexpr (two)
      if (j + 1 < length) load_block_values<b, kind>(a, slice, lane, j + 1, next_v);
    if (c < 0) continue;
#pragma unroll
    for (int i = 0; i < b * b; ++i)
      if (!is_hole(v[i])) sum[i / b] = multiply_add(v[i], w[i % b], sum[i / b]);
  }
}

/// Blocks of b x b: a thread has b rows.
template <int b, int width, class T>
__global__ void __launch_bounds__(multi_block_threads, (b * b * sizeof(T) > 512)  ? 2
                                                       : (b > 3 || sizeof(T) > 8) ? 3
                                                                                  : 5)
    multiply_blocks_columns_kernel(const PackedView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                   bool add_to_y) {
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset block_row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || block_row >= a.block_rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const RowInSlice at = find_row(a, block_row);
  Bundle<D, width> sum[b] = {};
  with_kind_of_each(at.slice.values(), [&](auto kind) {
    add_all_blocks<b, kind.value>(a, at.slice, at.lane, at.length, bundle, sum);
  });
#pragma unroll
  for (int i = 0; i < b; ++i)
    if (at.row * b + i < a.rows) bundle.store(at.row * b + i, sum[i]);
}

}  // namespace

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  using T = typename View::Value;
  View by_one_thread = view;
  by_one_thread.threads_per_row = 1;
  with_bundle_width<T>(k, [&](auto width) {
    if (view.b == 1) {
      if (view.group != nullptr) launch_groups_columns<width.value>(view, x, y, k, update, stream);
      if (view.group == nullptr || view.others > 0)
        launch_columns_of<multiply_packed_columns_kernel<width.value, T>>(
            by_one_thread, blocks_of_rows(rows_one_by_one(view), k, width), x, y, k, update, stream);
      return;
    }
    const offset blocks = blocks_of_rows(view.block_rows, k, width);
    for_block_size(view, true, [&](auto b, auto) {
      launch_columns_of<multiply_blocks_columns_kernel<b.value, width.value, T>>(by_one_thread, blocks, x, y,
                                                                                 k, update, stream);
    });
  });
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, PackedView);

}  // namespace spmv
