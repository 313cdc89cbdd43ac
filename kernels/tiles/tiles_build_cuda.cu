// The steps of packing tiles: one warp for every tile, one thread for every value.
#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/parts/warp_least.cuh"
#include "kernels/tiles/pack.hpp"

namespace spmv {
namespace {

constexpr int threads_per_block = 256;
unsigned blocks_for(offset threads) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}
__device__ offset thread_of_grid() {
  return static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void choose_columns_kernel(ChooseColumns step) {
  const offset t = thread_of_grid() / warp_size;
  if (t >= step.tiles) return;
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  Tile tile = step.tile[t];
  if (tile.nonzeros == 0) return;
  lidx low = step.col[tile.first];
  lidx high = low;
  for (lidx k = lane; k < tile.nonzeros; k += warp_size) {
    low = min(low, step.col[tile.first + k]);
    high = max(high, step.col[tile.first + k]);
  }
  low = warp_least(low);
  high = -warp_least(-high);
  set_columns(tile, low, high);
  if (lane == 0) step.tile[t] = tile;
}

__global__ void pack_columns_kernel(PackColumns step) {
  const offset t = thread_of_grid() / warp_size;
  if (t >= step.tiles) return;
  const Tile tile = step.tile[t];
  for (lidx k = static_cast<lidx>(threadIdx.x % warp_size); k < tile.nonzeros; k += warp_size)
    pack_column(step, tile, k);
}

template <class T>
__global__ void find_misfit_kernel(FindMisfit<T> step) {
  const offset k = thread_of_grid();
  if (k < step.count && !fits_half(step.value[k])) *step.misfit = 1;
}

template <class T>
__global__ void pack_values_kernel(PackValues<T> step) {
  const offset k = thread_of_grid();
  if (k < step.count) pack_value(step, k);
}

void launch_step(const ChooseColumns& step, cudaStream_t stream) {
  const offset threads = static_cast<offset>(step.tiles) * warp_size;
  if (threads > 0) choose_columns_kernel<<<blocks_for(threads), threads_per_block, 0, stream>>>(step);
}
void launch_step(const PackColumns& step, cudaStream_t stream) {
  const offset threads = static_cast<offset>(step.tiles) * warp_size;
  if (threads > 0) pack_columns_kernel<<<blocks_for(threads), threads_per_block, 0, stream>>>(step);
}
template <class T>
void launch_step(const FindMisfit<T>& step, cudaStream_t stream) {
  if (step.count > 0) find_misfit_kernel<<<blocks_for(step.count), threads_per_block, 0, stream>>>(step);
}
template <class T>
void launch_step(const PackValues<T>& step, cudaStream_t stream) {
  if (step.count > 0) pack_values_kernel<<<blocks_for(step.count), threads_per_block, 0, stream>>>(step);
}

}  // namespace

template <class Step>
void launch_build_cuda(const Step& step, void* stream) {
  launch_step(step, static_cast<cudaStream_t>(stream));
  cuda_check(cudaGetLastError(), "pack tiles (tiles_build_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_build_cuda, FindMisfit);
SPMV_INSTANTIATE_WITH(launch_build_cuda, PackValues);
template void launch_build_cuda(const ChooseColumns& step, void* stream);
template void launch_build_cuda(const PackColumns& step, void* stream);

}  // namespace spmv
