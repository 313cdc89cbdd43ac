#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_elements.cuh"
#include "kernels/packed/packed_groups.cuh"
#include "kernels/parts/fused.cuh"

namespace spmv {
namespace {

/// How interior rows are multiplied. Boundary rows may be of any slices.
enum class Interior { any_slices, heads, groups };

template <Interior by, class T>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    fused_packed_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const PackedView<T> interior,
                        const PackedView<T> boundary, int boundary_parts) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> all_heads[heads_block_threads];
  DeviceHead<D>* const heads = warp_heads(all_heads);
  D* const shared = reinterpret_cast<D*>(shared_bytes);
  play_role(
      product, blocks, boundary_parts,
      [&](int block, const auto& x, D* y) {
        if constexpr (by == Interior::groups)
          multiply_groups(interior, block, blocks.interior, x.x, y, false,
                          reinterpret_cast<DeviceHead<D>*>(shared_bytes));
        else if constexpr (by == Interior::heads)
          multiply_heads(interior, block, blocks.interior, x, y, false, heads, shared);
        else
          multiply_any_slices(interior, block, x, y, false, heads, shared);
      },
      [&](int part, const auto& x, D* y) {
        multiply_any_slices(boundary, part, x, y, false, heads, shared);
      });
}

/// Thread blocks for all slices, where warps may share one.
template <class T>
int fit(PackedView<T>& view, int threads) {
  const int warps = threads / slice_rows;
  view.threads_per_row = std::min(view.threads_per_row, warps);
  const int slices = warps / view.threads_per_row;
  return static_cast<int>((static_cast<offset>(view.slices) + slices - 1) / slices);
}

template <Interior by, class T>
void launch(PackedView<T> interior, PackedView<T> boundary, const FusedProduct<T>& product,
            cudaStream_t stream) {
  constexpr auto kernel = fused_packed_kernel<by, T>;
  const int threads = std::min(interior.threads_per_block, heads_block_threads);
  const bool meets = interior.threads_per_row > 1 || boundary.threads_per_row > 1;
  const std::size_t patterns =
      by == Interior::groups ? static_cast<std::size_t>(interior.pattern_heads) * sizeof(Head<T>) : 0;
  const std::size_t shared_bytes = std::max(meets ? threads * sizeof(T) : 0, patterns);
  FusedBlocks blocks{product.peers.pieces, fit(interior, threads), 0};
  const int boundary_parts = fit(boundary, threads);
  const int resident = blocks_beside_each_other<kernel>(threads, shared_bytes);
  blocks.boundary = waiting_blocks(boundary_parts, resident);
  // Interior blocks that go on to further slices leave room for the boundary ones from the beginning.
  if constexpr (by == Interior::groups)
    blocks.interior = static_cast<int>((interior.groups + threads / slice_rows - 1) / (threads / slice_rows));
  if constexpr (by != Interior::any_slices)
    blocks.interior = std::min(blocks.interior, std::max(resident / 2, resident - blocks.boundary));
  launch_behind<kernel>(blocks.all(), threads, shared_bytes, stream, product, blocks, interior, boundary,
                        boundary_parts);
}

}  // namespace

template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream) {
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (interior.group != nullptr)
    launch<Interior::groups>(interior, boundary, product, cuda_stream);
  else if (interior.only_heads)
    launch<Interior::heads>(interior, boundary, product, cuda_stream);
  else
    launch<Interior::any_slices>(interior, boundary, product, cuda_stream);
}

SPMV_INSTANTIATE_WITH(launch_fused_cuda, PackedView);

}  // namespace spmv
