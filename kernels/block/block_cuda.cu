// One thread block per band, half_warp threads per row [Bordawekar 2013].
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/block/block.hpp"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/read_once.cuh"

namespace spmv {
namespace {

constexpr int block_threads = half_warp * half_warp;
constexpr int loads_of_x = strip_cols / block_threads;  // per thread and block

/// The thread's share of a block's part of x; nothing from beyond x.
template <class D>
__device__ __forceinline__ void load_part(D (&part)[loads_of_x], const D* __restrict__ x, lidx first_col,
                                          lidx cols) {
  const lidx left = cols - first_col;
#pragma unroll
  for (int u = 0; u < loads_of_x; ++u) {
    const int at = u * block_threads + static_cast<int>(threadIdx.x);
    part[u] = at < left ? __ldg(x + first_col + at) : D{};
  }
}

/// A thread block writes rows of its own only, so thread blocks need not wait for each other. The next part
/// of x is on its way while a block is multiplied.
template <class D>
__global__ void __launch_bounds__(block_threads)
    multiply_blocks_kernel(lidx rows, lidx cols, const offset* __restrict__ first_block,
                           const lidx* __restrict__ first_col, const offset* __restrict__ first_element,
                           const unsigned short* __restrict__ row_start,
                           const unsigned short* __restrict__ row_length,
                           const unsigned short* __restrict__ col, const D* __restrict__ value,
                           const lidx* __restrict__ row_list, const D* __restrict__ x, D* __restrict__ y,
                           bool add_to_y, float kept_share) {
  constexpr int batch = 4;
  const ReadOnce once(kept_share);
  __shared__ D block_x[strip_cols];
  const int in_band = static_cast<int>(threadIdx.x) / half_warp;
  const int lane = static_cast<int>(threadIdx.x) % half_warp;
  const offset row = static_cast<offset>(blockIdx.x) * half_warp + in_band;
  const offset last = first_block[blockIdx.x + 1];
  offset block = first_block[blockIdx.x];
  D part[loads_of_x];
  if (block < last) load_part(part, x, first_col[block], cols);
  D sum{};
#pragma unroll 1
  for (; block < last; ++block) {
    __syncthreads();  // no thread reads the previous part any more
#pragma unroll
    for (int u = 0; u < loads_of_x; ++u) block_x[u * block_threads + threadIdx.x] = part[u];
    __syncthreads();
    if (block + 1 < last) load_part(part, x, first_col[block + 1], cols);
    const offset begin =
        first_element[block] + static_cast<offset>(row_start[block * half_warp + in_band]) * half_warp;
    const offset end = begin + row_length[block * half_warp + in_band];
#pragma unroll 1
    for (offset at = begin + lane; at < end; at += batch * half_warp) {
      unsigned short c[batch];
      D v[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * half_warp < end) {
          c[u] = once.load(col + at + u * half_warp);
          v[u] = once.load(value + at + u * half_warp);
        }
#pragma unroll
      for (int u = 0; u < batch; ++u)
        if (at + u * half_warp < end) sum = multiply_add(v[u], block_x[c[u]], sum);
    }
  }
  __syncwarp();
#pragma unroll
  for (int distance = half_warp / 2; distance > 0; distance /= 2)
    sum = add(sum, from_lane_down(sum, distance, half_warp));
  if (row < rows && lane == 0) store_row(y, row_list, row, sum, add_to_y);
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  const unsigned bands = static_cast<unsigned>((static_cast<offset>(view.rows) + half_warp - 1) / half_warp);
  multiply_blocks_kernel<<<bands, block_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      view.rows, view.cols, view.first_block, view.first_col, view.first_element, view.row_start,
      view.row_length, view.col, as_device(view.value), view.row_list, as_device(x), as_device(y),
      update == Update::add, view.kept_share);
  cuda_check(cudaGetLastError(), "launch blocks (block_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, BlockView);

}  // namespace spmv
