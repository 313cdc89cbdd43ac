// One lane per block row; b sums a lane.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "kernels/packed/packed_device.cuh"

namespace spmv {
namespace {

template <int b, bool holes, ValueKind kind, class T, class D>
__device__ __forceinline__ void add_blocks(const PackedView<T>& a, const Slice& slice, const ThreadWork& work,
                                           lidx length, const D* __restrict__ x, D (&sum)[b]) {
  constexpr int blocks = b < 3 ? 4 : b == 3 ? 2 : 1;  // in flight together
  const unsigned char* const cols = a.col + slice.col_begin();
  const unsigned char* const values = a.value + slice.value_begin();
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
      c[u] = there ? static_cast<offset>(load_block_column(slice, head, cols, at, work.lane)) * b : 0;
    }
    D v[blocks][b * b];
    D w[blocks][b];
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        v[u][k] = load_block_value<kind>(
            values, dictionary,
            lone_at(static_cast<offset>(min(j + u, length - 1)) * (b * b) + k, work.lane));
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int i = 0; i < b; ++i) w[u][i] = !holes || c[u] + i < a.cols ? __ldg(x + c[u] + i) : D{};
#pragma unroll
    for (int u = 0; u < blocks; ++u)
#pragma unroll
      for (int k = 0; k < b * b; ++k)
        if (present[u] && (!holes || !is_hole(v[u][k])))
          sum[k / b] = multiply_add(v[u][k], w[u][k % b], sum[k / b]);
  }
}

template <int b>
constexpr int block_kernel_threads = b > 3 ? 256 : 512;

template <int b, bool holes, class T>
__global__ void __launch_bounds__(block_kernel_threads<b>, b > 3 ? 2 : 1)
    multiply_blocks_kernel(const PackedView<T> a, const DeviceValue<T>* __restrict__ x,
                           DeviceValue<T>* __restrict__ y, bool add_to_y) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const ThreadWork work = find_work(static_cast<lidx>(blockIdx.x), a.threads_per_row);
  const lidx s = work.group + work.local / slice_rows;
  const offset block_row = row_of(s, work.lane);
  D sum[b] = {};
  {
    const Slice slice = load_slice(a.slice, s, a.slices);
    const lidx length = find_length(a, slice, block_row);
    switch (slice.values()) {
      case ValueKind::dictionary:
        add_blocks<b, holes, ValueKind::dictionary>(a, slice, work, length, x, sum);
        break;
      case ValueKind::half:
        add_blocks<b, holes, ValueKind::half>(a, slice, work, length, x, sum);
        break;
      default:
        add_blocks<b, holes, ValueKind::full>(a, slice, work, length, x, sum);
        break;
    }
  }
  if (!meet(work, a.threads_per_row, sum, reinterpret_cast<D*>(shared_bytes))) return;
#pragma unroll
  for (int i = 0; i < b; ++i) {
    const offset row = block_row * b + i;
    if (row < a.rows) store_row(y, a.row_list, row, sum[i], add_to_y);
  }
}

template <int b, class T>
void launch_blocks(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (view.holes)
    launch(multiply_blocks_kernel<b, true, T>, view, block_kernel_threads<b>, 0, x, y, update, stream);
  else
    launch(multiply_blocks_kernel<b, false, T>, view, block_kernel_threads<b>, 0, x, y, update, stream);
}

}  // namespace

template <class T>
void launch_packed_blocks(const PackedView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  switch (view.b) {
    case 2:
      return launch_blocks<2>(view, x, y, update, stream);
    case 3:
      return launch_blocks<3>(view, x, y, update, stream);
    case 4:
      return launch_blocks<4>(view, x, y, update, stream);
    case 5:
      return launch_blocks<5>(view, x, y, update, stream);
    default:
      return launch_blocks<most_entry_block>(view, x, y, update, stream);
  }
}

SPMV_INSTANTIATE(launch_packed_blocks);

}  // namespace spmv
