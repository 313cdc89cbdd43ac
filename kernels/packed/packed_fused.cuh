// What the kernels of packed slices with the exchange inside have in common.
#pragma once

#include <algorithm>
#include <cstddef>

#include <cuda_runtime.h>

#include "kernels/packed/packed.hpp"
#include "kernels/parts/fused.cuh"

namespace spmv {

/// Thread blocks of so many threads for all slices of a view, whose warps share a slice as far as a block has some.
template <class T>
int fit(PackedView<T>& view, int threads) {
  const int warps = threads / slice_rows;
  view.threads_per_row = std::min(view.threads_per_row, warps);
  const int slices = warps / view.threads_per_row;
  return static_cast<int>((static_cast<offset>(view.slices) + slices - 1) / slices);
}

/// Bytes of shared memory of a thread block in which sums of the same row meet.
template <class T>
std::size_t shared_for_sums(const PackedView<T>& interior, const PackedView<T>& boundary, int threads) {
  const bool meets = interior.threads_per_row > 1 || boundary.threads_per_row > 1;
  return meets ? threads * sizeof(T) : 0;
}

/// Queues a product with its exchange, of views with b > 1. Returns the parts of each sum.
template <class T>
int launch_fused_blocks(PackedView<T> interior, PackedView<T> boundary, const FusedProduct<T>& product,
                        cudaStream_t stream);

}  // namespace spmv
