// Half a warp, or a whole one, per CSR row with aligned loads [Bordawekar 2013].
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/rows/spmv4gpu.hpp"

namespace spmv {
namespace {

constexpr int block_threads = 256;

/// An element of the matrix. Padded rows share no sector, so what is read leaves the first cache to x; otherwise
/// the next row wants the rest of the sector and finds it in L1.
template <bool padded, class Element>
__device__ __forceinline__ Element load_element(const ReadOnce& once, const Element* at) {
  return padded ? once.load(at) : once.load_with_line(at);
}

/// `width` neighbouring lanes share a row. They start at the multiple of half_warp at or before the row's
/// first element; lanes that stand before the row leave the first step out.
template <int width, bool padded, class D>
__global__ void __launch_bounds__(block_threads)
    multiply_aligned_rows_kernel(lidx rows, const offset* __restrict__ row_ptr,
                                 const lidx* __restrict__ row_length, const lidx* __restrict__ col,
                                 const D* __restrict__ value, const lidx* __restrict__ row_list,
                                 const D* __restrict__ x, D* __restrict__ y, bool add_to_y,
                                 float kept_share) {
  constexpr int batch = 4;
  const ReadOnce once(kept_share);
  const offset row = (static_cast<offset>(blockIdx.x) * block_threads + threadIdx.x) / width;
  const int lane = static_cast<int>(threadIdx.x) % width;
  D sum{};
  if (row < rows) {  // no early return: all lanes of a warp take part in the reduction
    const offset begin = row_ptr[row];
    const offset end = padded ? begin + row_length[row] : row_ptr[row + 1];
    offset at = begin / half_warp * half_warp + lane;
#pragma unroll 1
    for (; at < end; at += batch * width) {
      lidx c[batch];
      D v[batch];
      D w[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width >= begin && at + u * width < end) {
          c[u] = load_element<padded>(once, col + at + u * width);
          v[u] = load_element<padded>(once, value + at + u * width);
        }
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width >= begin && at + u * width < end) w[u] = __ldg(x + c[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width >= begin && at + u * width < end) sum = multiply_add(v[u], w[u], sum);
    }
  }
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, width));
  if (row < rows && lane == 0) store_row(y, row_list, row, sum, add_to_y);
}

template <int width, bool padded, class T>
void launch_rows(const Spmv4gpuView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  const offset threads = static_cast<offset>(view.rows) * width;
  const unsigned blocks = static_cast<unsigned>((threads + block_threads - 1) / block_threads);
  multiply_aligned_rows_kernel<width, padded><<<blocks, block_threads, 0, stream>>>(
      view.rows, view.row_ptr, view.row_length, view.col, as_device(view.value), view.row_list, as_device(x),
      as_device(y), update == Update::add, view.kept_share);
}

template <int width, class T>
void launch_width(const Spmv4gpuView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  if (view.row_length != nullptr)
    launch_rows<width, true>(view, x, y, update, stream);
  else
    launch_rows<width, false>(view, x, y, update, stream);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (view.threads_per_row == half_warp)
    launch_width<half_warp>(view, x, y, update, cuda_stream);
  else
    launch_width<2 * half_warp>(view, x, y, update, cuda_stream);
  cuda_check(cudaGetLastError(), "launch SpMV4GPU (spmv4gpu_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, Spmv4gpuView);

}  // namespace spmv
