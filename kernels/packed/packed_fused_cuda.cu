#include <algorithm>

#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/packed_elements.cuh"
#include "kernels/packed/packed_fused.cuh"
#include "kernels/packed/packed_groups.cuh"

namespace spmv {
namespace {

/// Interior rows in slices of any kind, or whose heads are all there is.
template <bool by_heads, class T, class Rows>
__global__ void __launch_bounds__(heads_block_threads, heads_blocks_per_multiprocessor<T>)
    fused_packed_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const PackedView<T> interior,
                        const PackedView<T> boundary, int boundary_parts, Rows rows) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> all_heads[heads_block_threads];
  DeviceHead<D>* const heads = warp_heads(all_heads);
  D* const shared = reinterpret_cast<D*>(shared_bytes);
  play_role(
      product, blocks, boundary_parts,
      [&](int block, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.interior_y));
        if constexpr (by_heads)
          multiply_heads(interior, block, blocks.interior, x, rows, false, heads, shared);
        else
          multiply_any_slices(interior, block, x, rows, false, heads, shared);
      },
      [&](int part, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.boundary_y_at));
        multiply_any_slices(boundary, part, x, rows, false, heads, shared);
      });
  leave_sums(rows);
}

/// Interior rows in groups, and in `others` where there are some: a unit is a group, or one of the others.
template <bool others, class T, class Rows>
__global__ void __launch_bounds__(groups_block_threads, groups_blocks_per_multiprocessor<T>)
    fused_groups_kernel(const FusedProduct<T> product, const FusedBlocks blocks, const PackedView<T> interior,
                        const PackedView<T> boundary, int boundary_parts, bool boundary_last, Rows rows) {
  using D = DeviceValue<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ DeviceHead<D> all_heads[groups_block_threads];
  __shared__ D shared[groups_block_threads];
  DeviceHead<D>* const heads = warp_heads(all_heads);
  auto* const patterns = reinterpret_cast<DeviceHead<D>*>(shared_bytes);
  load_patterns(interior, patterns);  // before the preceding product has ended: it does not write them
  play_both_roles(
      product, blocks, interior.groups + interior.others, boundary_parts, boundary_last,
      [&](lidx unit, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.interior_y));
        if (!others || unit < interior.groups)
          multiply_group(interior, unit, x.x, rows, false, patterns);
        else
          multiply_any_slices(interior, 0, x, rows, false, heads, shared,
                              [&](lidx) { return __ldg(interior.other + (unit - interior.groups)); });
      },
      [&](int part, const auto& x, D* y) {
        aim(rows, y, as_device(product.x + product.boundary_y_at));
        multiply_any_slices(boundary, part, x, rows, false, heads, shared);
      });
  leave_sums(rows);
}

/// Both return the parts of the sums.
template <bool by_heads, class T, class Rows>
int launch(PackedView<T> interior, PackedView<T> boundary, const FusedProduct<T>& product, const Rows& rows,
           cudaStream_t stream) {
  constexpr auto kernel = fused_packed_kernel<by_heads, T, Rows>;
  const int threads =
      std::min(std::max(interior.threads_per_block, boundary.threads_per_block), heads_block_threads);
  FusedBlocks blocks{product.peers.pieces, fit(interior, threads), 0};
  const int boundary_parts = fit(boundary, threads);
  const std::size_t shared_bytes = shared_for_sums(interior, boundary, threads);
  const int resident = blocks_beside_each_other<kernel>(threads, shared_bytes);
  blocks.boundary = waiting_blocks(boundary_parts, resident);
  // Interior blocks that go on to further slices leave room for the boundary ones from the beginning.
  if constexpr (by_heads)
    blocks.interior = std::min(blocks.interior, std::max(resident / 2, resident - blocks.boundary));
  launch_behind<kernel>(blocks.all(), threads, shared_bytes, stream, product, blocks, interior, boundary,
                        boundary_parts, rows);
  return parts_of(product.sums, blocks.all());
}

template <bool others, class T, class Rows>
int launch_groups(PackedView<T> interior, PackedView<T> boundary, const FusedProduct<T>& product,
                  const Rows& rows, cudaStream_t stream) {
  constexpr auto kernel = fused_groups_kernel<others, T, Rows>;
  constexpr int threads = groups_block_threads, warps = threads / slice_rows;
  const std::size_t shared_bytes = shared_for_groups(interior, false);
  const int resident = blocks_beside_each_other<kernel>(threads, shared_bytes);
  interior.threads_per_row = 1;
  // Where there is time for it in between, one warp does a boundary slice; else as many as are fastest.
  const lidx all = interior.groups + interior.others;
  const bool boundary_last = all < 2 * resident * warps;
  if (!boundary_last) boundary.threads_per_row = 1;
  const int boundary_parts = fit(boundary, threads);
  const FusedBlocks blocks =
      blocks_of_both_roles(product.peers.pieces, (all + warps - 1) / warps, boundary_parts, resident);
  launch_behind<kernel>(blocks.all(), threads, shared_bytes, stream, product, blocks, interior, boundary,
                        boundary_parts, boundary_last, rows);
  return parts_of(product.sums, blocks.all());
}

template <class T>
int launch_any(const PackedView<T>& interior, const PackedView<T>& boundary, const FusedProduct<T>& product,
               void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  if (interior.b > 1) return launch_fused_blocks(interior, boundary, product, on);
  return with_rows(product, [&](const auto& rows) {
    if (interior.others > 0) return launch_groups<true>(interior, boundary, product, rows, on);
    if (interior.group != nullptr) return launch_groups<false>(interior, boundary, product, rows, on);
    if (interior.only_heads) return launch<true>(interior, boundary, product, rows, on);
    return launch<false>(interior, boundary, product, rows, on);
  });
}

}  // namespace

template <class View>
void launch_fused_cuda(const View& interior, const View& boundary,
                       const FusedProduct<typename View::Value>& product, void* stream) {
  launch_any(interior, boundary, product, stream);
}

template <class View>
int launch_fused_summed_cuda(const View& interior, const View& boundary,
                             const FusedProduct<typename View::Value>& product, void* stream) {
  return launch_any(interior, boundary, product, stream);
}

SPMV_INSTANTIATE_WITH(launch_fused_cuda, PackedView);
SPMV_INSTANTIATE_WITH(launch_fused_summed_cuda, PackedView);

}  // namespace spmv
