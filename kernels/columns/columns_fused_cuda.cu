#include <type_traits>

#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns_device.cuh"
#include "kernels/parts/fused.cuh"

namespace spmv {
namespace {

template <int batch, bool marked, bool shared_rows, class View>
__global__ void __launch_bounds__(most_columns_threads, columns_blocks_per_multiprocessor)
    fused_columns_kernel(const FusedProduct<typename View::Value> product, const FusedBlocks blocks,
                         const View interior, const View boundary, int boundary_parts) {
  extern __shared__ __align__(16) unsigned char shared[];
  play_role(
      product, blocks, boundary_parts,
      [&](int block, const auto& x, auto* y) {
        multiply_columns<batch, marked, shared_rows>(interior, block, x, y, false, shared);
      },
      [&](int part, const auto& x, auto* y) {
        multiply_columns<batch, marked, shared_rows>(boundary, part, x, y, false, shared);
      });
}

template <int batch, bool marked, bool shared_rows, class View>
void launch(const View& interior, View boundary, const FusedProduct<typename View::Value>& product,
            cudaStream_t stream) {
  constexpr auto kernel = fused_columns_kernel<batch, marked, shared_rows, View>;
  const int threads = interior.threads_per_block;
  boundary.threads_per_block = threads;
  if (interior.rows > 0) boundary.threads_per_row = interior.threads_per_row;  // one kind of kernel for both
  const std::size_t shared_bytes = shared_rows ? threads * sizeof(typename View::Value) : 0;
  const auto boundary_parts = static_cast<int>(columns_blocks(boundary));
  const FusedBlocks blocks{
      product.peers.pieces, static_cast<int>(columns_blocks(interior)),
      waiting_blocks(boundary_parts, blocks_beside_each_other<kernel>(threads, shared_bytes))};
  launch_behind<kernel>(blocks.all(), threads, shared_bytes, stream, product, blocks, interior, boundary,
                        boundary_parts);
}

}  // namespace

template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream) {
  constexpr int wide = sizeof(typename View::Value) > 8 ? 4 : 8;  // as for a product alone
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const View& leading = interior.rows > 0 ? interior : boundary;
  const bool shared_rows = leading.threads_per_row > 1;
  const bool narrow = leading.unroll < 8;
  if constexpr (std::is_same_v<typename View::Placement, Strided>) {  // others keep row lengths
    if (leading.row_length == nullptr)
      return shared_rows ? launch<wide, true, true>(interior, boundary, product, cuda_stream)
                         : launch<wide, true, false>(interior, boundary, product, cuda_stream);
  }
  if (shared_rows && narrow)
    launch<wide / 2, false, true>(interior, boundary, product, cuda_stream);
  else if (shared_rows)
    launch<wide, false, true>(interior, boundary, product, cuda_stream);
  else if (narrow)
    launch<wide / 2, false, false>(interior, boundary, product, cuda_stream);
  else
    launch<wide, false, false>(interior, boundary, product, cuda_stream);
}

SPMV_INSTANTIATE_WITH(launch_fused_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_fused_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_fused_cuda, SlicedView);

}  // namespace spmv
