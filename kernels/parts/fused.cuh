// Roles of the thread blocks of a fused product, by their number:
//
//   first   put         one for each piece: gather its elements from x, store them in the neighbour's slot,
//                       raise its flag; wait for nothing
//   middle  interior    rows that need no ghosts; wait for nothing
//   last    boundary    wait for the flags, then go through the rows that need ghosts
//
// Nothing deadlocks, whatever the order in which blocks start: only boundary blocks wait, they are fewer than
// the GPU holds at once (waiting_blocks()), and what waits never keeps the others' slots. So every put block
// of every rank runs in the end, and the flags that others wait for are raised, provided that all ranks'
// kernels run at the same time: each has a GPU of its own, where PeerView is given out at all. The order
// above is for speed: puts leave at once, and boundary blocks come when their flags have.
#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/error.hpp"
#include "core/peer_memory.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/x_access.cuh"

namespace spmv {

/// Thread blocks of a fused product, by role.
struct FusedBlocks {
  int put;
  int interior;
  int boundary;
  unsigned all() const { return static_cast<unsigned>(put + interior + boundary); }
};

/// For all threads at the beginning of a kernel that launch_behind() launches: returns when all work queued
/// before is done and can be seen; from then on the next such kernel may take the slots that blocks of this
/// one leave. In this order no kernel begins before the one but one ahead of it has ended, so none finds in a
/// cache what was read there before the kernel ahead has written.
__device__ __forceinline__ void take_turn() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Launches a kernel that begins with take_turn(): where the GPU can, its blocks are in place when the kernel
/// before ends, so that neither the launch nor the last blocks' stragglers leave the GPU empty. Blocks of the
/// next product cannot hold up this one's: they come when all of these have begun.
template <class... Parameters, class... Arguments>
void launch_behind(void (*kernel)(Parameters...), unsigned blocks, int threads, std::size_t shared_bytes,
                   cudaStream_t stream, const Arguments&... arguments) {
  cudaFuncAttributes compiled{};
  cuda_check(cudaFuncGetAttributes(&compiled, kernel), "ask how a kernel was compiled");
  constexpr int first_that_takes_turns = 90;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = compiled.ptxVersion >= first_that_takes_turns ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...), "launch a product with its exchange");
}

/// Plays the block's role. interior(block, x, y) multiplies what thread block number `block` of
/// blocks.interior is for; boundary(block, x, y) likewise of `boundary_parts`, through which blocks.boundary
/// blocks go in turns.
template <class T, class Interior, class Boundary>
__device__ __forceinline__ void play_role(const FusedProduct<T>& product, const FusedBlocks& blocks,
                                          int boundary_parts, const Interior& interior,
                                          const Boundary& boundary) {
  using D = DeviceValue<T>;
  take_turn();
  const D* const x = as_device(product.x);
  const int block = static_cast<int>(blockIdx.x);
  if (block >= blocks.put && block < blocks.put + blocks.interior)
    return interior(block - blocks.put, WholeX<D>{x}, as_device(product.y));
  const PeerView& peers = product.peers;
  const Epoch epoch = begin_exchange(peers, true, static_cast<unsigned>(blocks.put + blocks.boundary));
  if (block < blocks.put)
    return put_piece<D>(peers.piece[block], epoch,
                        [&](lidx k) { return __ldg(x + __ldg(product.send_index + k)); });
  wait_for_flags(peers, epoch);
  const auto* const ghosts = reinterpret_cast<const D*>(epoch % 2 == 0 ? peers.slot[0] : peers.slot[1]);
  for (int part = block - blocks.put - blocks.interior; part < boundary_parts; part += blocks.boundary) {
    boundary(part, GhostedX<D>{x, ghosts, product.owned}, as_device(product.boundary_y));
    __syncthreads();  // shared memory is used again
  }
}

/// Thread blocks of `kernel` that the device holds at once. Throws Error(environment) if fewer than two: one
/// that waits must leave room for one that does not.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, std::size_t shared_bytes) {
  int device = 0, multiprocessors = 0, per_multiprocessor = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "count multiprocessors");
  cuda_check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, shared_bytes),
      "ask how many thread blocks fit");
  if (multiprocessors * per_multiprocessor < 2)
    throw Error(ExitCode::environment,
                "the GPU holds too few thread blocks for an exchange inside a product: use --mode task");
  return multiprocessors * per_multiprocessor;
}

/// Boundary blocks for so many parts: at most half of what the device holds at once, and one where there are
/// no parts, for somebody must see the exchange to its end.
inline int waiting_blocks(int boundary_parts, int resident) {
  return std::max(1, std::min(boundary_parts, resident / 2));
}

}  // namespace spmv
