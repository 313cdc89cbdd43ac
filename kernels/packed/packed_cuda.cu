// One lane per row. The warps that share a slice take turns with its columns, a batch at a time, and meet in
// shared memory.
#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_device.cuh"

namespace spmv {
namespace {

constexpr int most_block_threads = 512;
/// As for columns_cuda.cu: registers enough for all loads of a batch at once.
template <class T>
constexpr int blocks_per_multiprocessor = sizeof(T) > 8 ? 1 : 2;
/// Of the kernel that reads heads only.
constexpr int heads_block_threads = 256;
template <class T>
constexpr int heads_blocks_per_multiprocessor = sizeof(T) > 8 ? 2 : 4;

/// The lane's sum over its part of a slice. `heads`: room of the warp for 32 heads; `mine` is the one that
/// the lane brings for the first 32 slice columns. `short_form`: diagonals of constant values, where heads
/// are all there is.
template <bool short_form, bool has_first, class T, class D>
__device__ __forceinline__ D multiply_slice(const PackedView<T>& a, const Slice& slice, const Place& place,
                                            lidx length, DeviceHead<D> mine, DeviceHead<D>* heads,
                                            const D* __restrict__ x) {
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
  D sum{};
  lidx first = -slice_rows;  // the slice column whose head is the first in `heads`
#pragma unroll 1
  for (lidx j = place.part * batch; j < slice.width(); j += a.threads_per_row * batch) {
    if (j - first >= slice_rows) {
      first = j / slice_rows * slice_rows;
      if (first > 0 || !has_first) mine = load_lane_head(slice, all_heads, first, place.lane);
      __syncwarp();
      heads[place.lane] = mine;
      __syncwarp();
    }
    const DeviceHead<D>* const batch_heads = heads + (j - first);
    D w[batch];
    if constexpr (short_form) {
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (batch_heads[u].lanes >> place.lane & 1u) w[u] = __ldg(x + batch_heads[u].base + place.lane);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (batch_heads[u].lanes >> place.lane & 1u) sum = multiply_add(batch_heads[u].value, w[u], sum);
    } else {
      lidx c[batch];
      D v[batch];
      load_columns(slice, batch_heads, cols, j, length, place.lane, c);
      load_values(slice, batch_heads, values, as_device(a.dictionary), j, length, place.lane, v);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (has_element(slice, batch_heads[u], j + u, length, place.lane)) w[u] = __ldg(x + c[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (has_element(slice, batch_heads[u], j + u, length, place.lane))
          sum = multiply_add(v[u], w[u], sum);
    }
  }
  return sum;
}

/// Any slices.
template <class T>
__global__ void __launch_bounds__(most_block_threads, blocks_per_multiprocessor<T>)
    multiply_packed_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                           DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> shared_heads[most_block_threads];
  DeviceHead<D>* const heads = shared_heads + threadIdx.x / slice_rows * slice_rows;
  const Place place = find_place(a.threads_per_row);
  const lidx s = place.group + place.local / slice_rows;
  const offset row = row_of(s, place.lane);
  const Slice slice = load_slice(a.slice, s, a.slices);
  const lidx length = find_length(a, slice, row);
  D sum[1];
  if (slice.columns() == ColumnKind::diagonals && slice.values() == ValueKind::constant)
    sum[0] = multiply_slice<true, false>(a, slice, place, length, DeviceHead<D>{}, heads, x);
  else
    sum[0] = multiply_slice<false, false>(a, slice, place, length, DeviceHead<D>{}, heads, x);
  if (meet(place, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes)) && row < a.rows)
    store_row(y, a.row_list, row, sum[0], add_to_y);
}

/// Slices whose heads are all there is. Every thread block goes on to further ones; while it works at one,
/// the next one's heads are on their way, and the description of the one after that: what is left to wait for
/// is x.
template <class T>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    multiply_heads_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                          DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> shared_heads[heads_block_threads];
  DeviceHead<D>* const heads = shared_heads + threadIdx.x / slice_rows * slice_rows;
  const auto* const all_heads = reinterpret_cast<const DeviceHead<D>*>(a.head);
  const Place place = find_place(a.threads_per_row);
  const lidx step = static_cast<lidx>(gridDim.x) * (place.width / slice_rows);
  lidx s = place.group + place.local / slice_rows;
  Slice slice = load_slice(a.slice, s, a.slices);
  Slice next = load_slice(a.slice, s + step, a.slices);
  DeviceHead<D> mine = load_lane_head(slice, all_heads, 0, place.lane);
  for (lidx group = place.group; group < a.slices; group += step) {  // the same number of times in all warps
    const Slice after_next = load_slice(a.slice, s + 2 * step, a.slices);
    const DeviceHead<D> next_mine = load_lane_head(next, all_heads, 0, place.lane);
    D sum[1] = {multiply_slice<true, true>(a, slice, place, 0, mine, heads, x)};
    const offset row = row_of(s, place.lane);
    if (meet(place, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes)) && row < a.rows)
      store_row(y, a.row_list, row, sum[0], add_to_y);
    s += step;
    slice = next;
    next = after_next;
    mine = next_mine;
  }
}

template <class T>
void launch_elements(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (!view.only_heads)
    return launch(multiply_packed_kernel<T>, view, most_block_threads, 0, x, y, update, stream);
  const int per_multiprocessor = heads_blocks_per_multiprocessor<T> * heads_block_threads /
                                 std::min(view.threads_per_block, heads_block_threads);
  launch(multiply_heads_kernel<T>, view, heads_block_threads, offset{multiprocessors()} * per_multiprocessor,
         x, y, update, stream);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  if (view.b == 1)
    launch_elements(view, x, y, update, static_cast<cudaStream_t>(stream));
  else
    launch_packed_blocks(view, x, y, update, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "launch packed SELL (packed_cuda.cu)");
}

template void launch_cuda(const PackedView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const PackedView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const PackedView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const PackedView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);

}  // namespace spmv
