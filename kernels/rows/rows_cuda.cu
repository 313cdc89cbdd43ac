// CSR with several threads per row [Bordawekar 2013]; CRS(vector) in [Vazquez 2011, sect. 3.4], with a chosen
// number of threads.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/rows/rows.hpp"

namespace spmv {
namespace {

constexpr int most_block_threads = 512;

/// `width` neighbouring lanes of a warp share a row. Values and columns are kept in L1: a row ends in the
/// middle of a sector, and the next row wants the rest of it.
template <int width, class D>
__global__ void __launch_bounds__(most_block_threads)
    multiply_rows_kernel(lidx rows, const offset* __restrict__ row_ptr, const lidx* __restrict__ col,
                         const D* __restrict__ value, const lidx* __restrict__ row_list,
                         const D* __restrict__ x, D* __restrict__ y, bool add_to_y) {
  constexpr int batch = 4;
  const offset row = (static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x) / width;
  const int lane = static_cast<int>(threadIdx.x) % width;
  D sum{};
  if (row < rows) {  // no early return: all lanes of a warp take part in the reduction
    const offset end = row_ptr[row + 1];
    offset at = row_ptr[row] + lane;
#pragma unroll 1
    for (; at < end; at += batch * width) {
      lidx c[batch];
      D v[batch];
      D w[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) {
          c[u] = __ldg(col + at + u * width);
          v[u] = __ldg(value + at + u * width);
        }
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) w[u] = __ldg(x + c[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * width < end) sum = multiply_add(v[u], w[u], sum);
    }
  }
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, width));
  if (row < rows && lane == 0) store_row(y, row_list, row, sum, add_to_y);
}

template <int width, class T>
void launch_rows(const CsrView<T>& view, const T* x, T* y, Update update, cudaStream_t stream) {
  const offset threads = static_cast<offset>(view.rows) * width;
  const int block_threads = view.threads_per_block;
  const unsigned blocks = static_cast<unsigned>((threads + block_threads - 1) / block_threads);
  multiply_rows_kernel<width><<<blocks, block_threads, 0, stream>>>(
      view.rows, view.row_ptr, view.col, as_device(view.value), view.row_list, as_device(x), as_device(y),
      update == Update::add);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  switch (view.threads_per_row) {
    case 1:
      launch_rows<1>(view, x, y, update, cuda_stream);
      break;
    case 2:
      launch_rows<2>(view, x, y, update, cuda_stream);
      break;
    case 4:
      launch_rows<4>(view, x, y, update, cuda_stream);
      break;
    case 8:
      launch_rows<8>(view, x, y, update, cuda_stream);
      break;
    case 16:
      launch_rows<16>(view, x, y, update, cuda_stream);
      break;
    default:
      launch_rows<32>(view, x, y, update, cuda_stream);
      break;
  }
  cuda_check(cudaGetLastError(), "launch CSR (csr_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, CsrView);

}  // namespace spmv
