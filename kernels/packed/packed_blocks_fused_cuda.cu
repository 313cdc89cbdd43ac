#include <algorithm>

#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "kernels/packed/packed_blocks.cuh"
#include "kernels/packed/packed_fused.cuh"

namespace spmv {
namespace {

template <int b, bool holes, class T>
__global__ void __launch_bounds__(block_kernel_threads<b>, block_kernels_per_multiprocessor<b>)
    fused_blocks_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const PackedView<T> interior,
                        const PackedView<T> boundary, int boundary_parts, SummedRows<T> rows) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  D* const shared = reinterpret_cast<D*>(shared_bytes);
  play_role(
      product, blocks, boundary_parts,
      [&](int block, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.interior_y));
        multiply_block_rows<b, holes>(interior, block, x, rows, false, shared);
      },
      [&](int part, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.boundary_y_at));
        multiply_block_rows<b, holes>(boundary, part, x, rows, false, shared);
      });
  leave_sums(rows);
}

}  // namespace

template <class T>
int launch_fused_blocks(PackedView<T> interior, PackedView<T> boundary, const FusedProduct<T>& product,
                        cudaStream_t stream) {
  int parts = 0;
  for_block_size(interior, interior.holes || boundary.holes, [&](auto b, auto holes) {
    constexpr auto kernel = fused_blocks_kernel<decltype(b)::value, decltype(holes)::value, T>;
    const int threads = std::min(interior.threads_per_block, block_kernel_threads<decltype(b)::value>);
    const int interior_blocks = fit(interior, threads), boundary_parts = fit(boundary, threads);
    const std::size_t shared_bytes = shared_for_sums(interior, boundary, threads);
    const FusedBlocks blocks{
        product.peers.pieces, interior_blocks,
        waiting_blocks(boundary_parts, blocks_beside_each_other<kernel>(threads, shared_bytes))};
    const SummedRows<T> rows{as_device(product.y), as_device(product.x), product.sums};
    launch_behind<kernel>(blocks.all(), threads, shared_bytes, stream, product, blocks, interior, boundary,
                          boundary_parts, rows);
    parts = parts_of(product.sums, blocks.all());
  });
  return parts;
}

SPMV_INSTANTIATE(launch_fused_blocks);

}  // namespace spmv
