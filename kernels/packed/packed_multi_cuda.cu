// Packed slices and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_blocks.cuh"
#include "kernels/packed/packed_device.cuh"
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

template <int width, class T>
__global__ void __launch_bounds__(multi_block_threads)
    multiply_packed_columns_kernel(const PackedView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                   bool add_to_y) {
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || row >= a.rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const auto [at, slice, length, lane] = find_row(a, row);
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const ReadOnce once(a.kept_share);
  Bundle<D, width> sum{};
#pragma unroll 1
  for (lidx j = 0; j < length; j += multi_batch) {
    DeviceHead<D> head[multi_batch];
    lidx c[multi_batch];
    D v[multi_batch];
    Bundle<D, width> w[multi_batch];
#pragma unroll
    for (int u = 0; u < multi_batch; ++u) head[u] = load_head(heads + min(j + u, length - 1));
    load_columns(once, slice, head, cols, j, length, lane, c);
    load_values(once, slice, head, values, as_device(a.dictionary), j, length, lane, v);
#pragma unroll
    for (int u = 0; u < multi_batch; ++u)
      if (j + u >= length || !has_element(slice, head[u], j + u, length, lane)) c[u] = no_element;
#pragma unroll
    for (int u = 0; u < multi_batch; ++u)
      if (c[u] >= 0) w[u] = bundle.x_at(c[u]);
#pragma unroll
    for (int u = 0; u < multi_batch; ++u)
      if (c[u] >= 0) sum = multiply_add(v[u], w[u], sum);
  }
  bundle.store(at, sum);
}

/// Blocks of b x b: a thread has b rows.
template <int b, int width, class T>
__global__ void __launch_bounds__(multi_block_threads)
    multiply_blocks_columns_kernel(const PackedView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                   bool add_to_y) {
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset block_row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || block_row >= a.block_rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const auto [at, slice, length, lane] = find_row(a, block_row);
  Bundle<D, width> sum[b] = {};
  // By one thread, all slice columns; holes are looked for also where there are none.
  add_blocks<b, true>(
      a, slice, ThreadWork{0, lane, 0, 0, 0}, length, [&](offset c) { return bundle.x_at(c); }, sum);
#pragma unroll
  for (int i = 0; i < b; ++i)
    if (at * b + i < a.rows) bundle.store(at * b + i, sum[i]);
}

}  // namespace

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  using T = typename View::Value;
  View by_one_thread = view;
  by_one_thread.threads_per_row = 1;
  with_bundle_width<T>(k, [&](auto width) {
    const offset blocks = blocks_of_rows(view.block_rows, k, width);
    if (view.b == 1)
      return launch_columns_of<multiply_packed_columns_kernel<width.value, T>>(by_one_thread, blocks, x, y, k,
                                                                               update, stream);
    for_block_size(view, true, [&](auto b, auto) {
      launch_columns_of<multiply_blocks_columns_kernel<b.value, width.value, T>>(by_one_thread, blocks, x, y,
                                                                                 k, update, stream);
    });
  });
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, PackedView);

}  // namespace spmv
