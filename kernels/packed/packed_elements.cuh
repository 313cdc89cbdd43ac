// One lane per row. The warps that share a slice take turns with its columns, a batch at a time, and meet in
// shared memory.
#pragma once

#include "kernels/packed/packed_device.cuh"
#include "kernels/parts/summed_rows.cuh"
#include "kernels/parts/x_access.cuh"

namespace spmv {

inline constexpr int most_packed_threads = 512;
/// As for columns_cuda.cu: registers enough for all loads of a batch at once.
template <class T>
inline constexpr int packed_blocks_per_multiprocessor = sizeof(T) > 8 ? 1 : 2;
/// Of the kernel that reads heads only.
inline constexpr int heads_block_threads = 256;
template <class T>
inline constexpr int heads_blocks_per_multiprocessor = sizeof(T) > 8 ? 2 : 4;

/// The lane's sum over its part of a slice. `heads`: shared memory of the warp for 32 heads. `has_first`:
/// `mine` is the head of slice column number `lane`, which the lane has loaded already. `short_form`: the
/// slice is diagonals of constant values, so heads are all there is.
template <bool short_form, bool has_first, class T, class D, class X>
__device__ __forceinline__ D multiply_slice(const PackedView<T>& a, const Slice& slice,
                                            const ThreadWork& work, lidx length, DeviceHead<D> mine,
                                            DeviceHead<D>* heads, const X& x) {
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  const ReadOnce once(a.kept_share);
  D sum{};
  lidx first = -slice_rows;  // the slice column whose head is the first in `heads`
#pragma unroll 1
  for (lidx j = work.part * batch; j < slice.width(); j += a.threads_per_row * batch) {
    if (j - first >= slice_rows) {
      first = j / slice_rows * slice_rows;
      if (first > 0 || !has_first) mine = load_lane_head(slice, all_heads, first, work.lane);
      __syncwarp();
      heads[work.lane] = mine;
      __syncwarp();
    }
    const DeviceHead<D>* const batch_heads = heads + (j - first);
    D w[batch];
    if constexpr (short_form) {
#pragma unroll
      for (int u = 0; u < batch; ++u)
        w[u] = (batch_heads[u].lanes >> work.lane & 1u) != 0 ? x(batch_heads[u].base + work.lane) : D{};
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (batch_heads[u].lanes >> work.lane & 1u) sum = multiply_add(batch_heads[u].value, w[u], sum);
    } else {
      lidx c[batch];
      D v[batch];
      load_columns(once, slice, batch_heads, cols, j, length, work.lane, c);
      load_values(once, slice, batch_heads, values, as_device(a.dictionary), j, length, work.lane, v);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        w[u] = has_element(slice, batch_heads[u], j + u, length, work.lane) ? x(c[u]) : D{};
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (has_element(slice, batch_heads[u], j + u, length, work.lane)) sum = multiply_add(v[u], w[u], sum);
    }
  }
  return sum;
}

/// Multiplies the rows of thread block number `block`, in slices of any kind: slice_at(i) is the number of the i-th,
/// a.slices or more where there is none. Called by all threads of the block. `heads`: shared memory of the warp for 32
/// heads; `shared`: for an element of each thread.
template <class T, class X, class Rows, class D, class SliceAt>
__device__ __forceinline__ void multiply_any_slices(const PackedView<T>& a, lidx block, const X& x, Rows& y,
                                                    bool add_to_y, DeviceHead<D>* heads, D* shared,
                                                    const SliceAt& slice_at) {
  const ThreadWork work = find_work(block, a.threads_per_row);
  const lidx s = slice_at(work.group + work.local / slice_rows);
  const offset row = row_of(s, work.lane);
  const Slice slice = load_slice(a.slice, s, a.slices);
  const lidx length = find_length(a, slice, row);
  D sum[1];
  if (slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant)
    sum[0] = multiply_slice<true, false>(a, slice, work, length, DeviceHead<D>{}, heads, x);
  else
    sum[0] = multiply_slice<false, false>(a, slice, work, length, DeviceHead<D>{}, heads, x);
  if (meet(work, a.threads_per_row, sum, shared) && row < a.rows)
    store_row(y, a.row_list, row, sum[0], add_to_y);
}

/// The same of all slices.
template <class T, class X, class Rows, class D>
__device__ __forceinline__ void multiply_any_slices(const PackedView<T>& a, lidx block, const X& x, Rows& y,
                                                    bool add_to_y, DeviceHead<D>* heads, D* shared) {
  multiply_any_slices(a, block, x, y, add_to_y, heads, shared, [](lidx i) { return i; });
}

/// The same for slices whose heads are all there is, by thread block number `block` of `blocks`. Every thread
/// block goes through several groups of slices, `blocks` groups apart. While it multiplies one slice it loads
/// the heads of the next, and the Slice of the one after that; so it waits for x only.
template <class T, class X, class Rows, class D>
__device__ __forceinline__ void multiply_heads(const PackedView<T>& a, lidx block, lidx blocks, const X& x,
                                               Rows& y, bool add_to_y, DeviceHead<D>* heads, D* shared) {
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const ThreadWork work = find_work(block, a.threads_per_row);
  const lidx step = blocks * (work.width / slice_rows);
  lidx s = work.group + work.local / slice_rows;
  Slice slice = load_slice(a.slice, s, a.slices);
  Slice next = load_slice(a.slice, s + step, a.slices);
  DeviceHead<D> mine = load_lane_head(slice, all_heads, 0, work.lane);
  for (lidx group = work.group; group < a.slices; group += step) {  // the same number of times in all warps
    const Slice after_next = load_slice(a.slice, s + 2 * step, a.slices);
    const DeviceHead<D> next_mine = load_lane_head(next, all_heads, 0, work.lane);
    D sum[1] = {multiply_slice<true, true>(a, slice, work, 0, mine, heads, x)};
    const offset row = row_of(s, work.lane);
    if (meet(work, a.threads_per_row, sum, shared) && row < a.rows)
      store_row(y, a.row_list, row, sum[0], add_to_y);
    s += step;
    slice = next;
    next = after_next;
    mine = next_mine;
  }
}

/// The part of this thread's warp, 32 heads, of shared memory for those of all warps.
template <class D>
__device__ __forceinline__ DeviceHead<D>* warp_heads(DeviceHead<D>* all) {
  return all + threadIdx.x / slice_rows * slice_rows;
}

}  // namespace spmv
