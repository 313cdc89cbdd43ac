#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/fused.cuh"
#include "kernels/rows/rows_device.cuh"

namespace spmv {
namespace {

template <int width, class T>
__global__ void __launch_bounds__(most_rows_threads)
    fused_rows_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const CsrView<T> interior,
                      const CsrView<T> boundary, int boundary_parts) {
  play_role(
      product, blocks, boundary_parts,
      [&](int block, const auto& x, auto* y) { multiply_rows<width>(interior, block, x, y, false); },
      [&](int part, const auto& x, auto* y) { multiply_rows<width>(boundary, part, x, y, false); });
}

template <int width, class T>
void launch(const CsrView<T>& interior, const CsrView<T>& boundary, const FusedProduct<T>& product,
            cudaStream_t stream) {
  constexpr auto kernel = fused_rows_kernel<width, T>;
  const int threads = interior.threads_per_block;
  const auto boundary_parts = static_cast<int>(rows_blocks(boundary));
  const FusedBlocks blocks{product.peers.pieces, static_cast<int>(rows_blocks(interior)),
                           waiting_blocks(boundary_parts, blocks_beside_each_other<kernel>(threads, 0))};
  launch_behind<kernel>(blocks.all(), threads, 0, stream, product, blocks, interior, boundary,
                        boundary_parts);
}

}  // namespace

template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream) {
  View inner = interior, outer = boundary;  // one kind of kernel for both
  inner.threads_per_row = outer.threads_per_row = (interior.rows > 0 ? interior : boundary).threads_per_row;
  outer.threads_per_block = interior.threads_per_block;
  with_row_width(inner.threads_per_row, [&](auto width) {
    launch<width.value>(inner, outer, product, static_cast<cudaStream_t>(stream));
  });
}

SPMV_INSTANTIATE_WITH(launch_fused_cuda, CsrView);

}  // namespace spmv
