// The steps of packing, one thread per value, slice or row, and unpacking.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/pack.hpp"
#include "kernels/packed/packed_device.cuh"

namespace spmv {
namespace {

template <class T>
__global__ void find_missing_kernel(FindMissing<T> step) {
  const offset k = static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < step.count && !dictionary_has(step.dictionary, step.size, step.value[k])) *step.missing = 1;
}
template <class T>
__global__ void classify_kernel(Classify<T> step) {
  const lidx s = static_cast<lidx>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s < step.slices) step.slice[s] = classify_slice(step.source, s);
}
template <class T>
__global__ void make_heads_kernel(MakeHeads<T> step) {
  const lidx s = static_cast<lidx>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s < step.slices) make_slice_heads(step.source, s, step.slice[s], step.head);
}
template <class T>
__global__ void pack_rows_kernel(PackRows<T> step) {
  const offset row = static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < step.source.from.rows) pack_row(step, row);
}

/// One warp per slice.
template <class T>
__global__ void unpack_kernel(Unpack<T> step) {
  using D = DeviceValue<T>;
  const PackedView<T>& a = step.view;
  const auto s = static_cast<lidx>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  const Slice slice = load_slice(a.slice, s, a.slices);
  const offset row = row_of(s, lane);
  const lidx length = find_length(a, slice, row);
  const unsigned char* const values = a.value + slice.value_begin();
  const ReadOnce once(0);
  const D* const dictionary = as_device(a.dictionary);
  const auto* const heads = reinterpret_cast<const DeviceHead<D>*>(a.head) + slice.head_at;
  lidx done = 0;  // elements of the lane
  for (lidx first = 0; first < slice.width(); first += batch) {
    DeviceHead<D> batch_heads[batch];
    for (int u = 0; u < batch; ++u)
      batch_heads[u] = load_lane_head(slice, heads - slice.head_at, first + u, 0);
    lidx c[batch];
    D v[batch];
    load_columns(once, slice, batch_heads, a.col + slice.col_begin(), first, length, lane, c);
    if (a.b == 1) load_values(once, slice, batch_heads, values, dictionary, first, length, lane, v);
    for (int u = 0; u < batch; ++u) {
      const lidx j = first + u;
      if (row >= a.block_rows || j >= length || !has_element(slice, batch_heads[u], j, length, lane))
        continue;
      const offset to = step.row_ptr[row] + done++;
      step.col[to] = a.b == 1
                         ? c[u]
                         : load_block_column(once, slice, batch_heads[u], a.col + slice.col_begin(), j, lane);
      D* const out = as_device(step.value) + to * a.b * a.b;
      if (a.b == 1) *out = v[u];
      for (int k = 0; a.b > 1 && k < a.b * a.b; ++k) {
        const offset at = lone_at(static_cast<offset>(j) * a.b * a.b + k, lane);
        out[k] = slice.values() == ValueKind::dictionary
                     ? load_value<ValueKind::dictionary>(once, values, dictionary, at)
                 : slice.values() == ValueKind::half
                     ? load_value<ValueKind::half>(once, values, dictionary, at)
                     : load_value<ValueKind::full>(once, values, dictionary, at);
      }
    }
  }
}

constexpr int build_threads = 128;
unsigned build_blocks(offset items) {
  return static_cast<unsigned>((items + build_threads - 1) / build_threads);
}

template <class T>
void launch_step(const FindMissing<T>& step, cudaStream_t stream) {
  if (step.count > 0) find_missing_kernel<<<build_blocks(step.count), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const Classify<T>& step, cudaStream_t stream) {
  if (step.slices > 0) classify_kernel<<<build_blocks(step.slices), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const MakeHeads<T>& step, cudaStream_t stream) {
  if (step.slices > 0) make_heads_kernel<<<build_blocks(step.slices), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const PackRows<T>& step, cudaStream_t stream) {
  if (step.source.from.rows > 0)
    pack_rows_kernel<<<build_blocks(step.source.from.rows), build_threads, 0, stream>>>(step);
}
template <class T>
void launch_step(const Unpack<T>& step, cudaStream_t stream) {
  if (step.view.slices > 0) unpack_kernel<<<step.view.slices, slice_rows, 0, stream>>>(step);
}

}  // namespace

template <class Step>
void launch_build_cuda(const Step& step, void* stream) {
  launch_step(step, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "pack SELL (packed_build_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_build_cuda, FindMissing);
SPMV_INSTANTIATE_WITH(launch_build_cuda, Classify);
SPMV_INSTANTIATE_WITH(launch_build_cuda, MakeHeads);
SPMV_INSTANTIATE_WITH(launch_build_cuda, PackRows);
SPMV_INSTANTIATE_WITH(launch_build_cuda, Unpack);

}  // namespace spmv
