// The steps of an exchange between peers inside a kernel: all threads of a block call them together.
#pragma once

#include <cuda/atomic>

#include "core/peer_memory.hpp"

namespace spmv {

/// The number of the exchange under way. Of the thread blocks that call this in one exchange, `all` in
/// number, the last one completes it if `completes`: nobody reads the number after that.
__device__ __forceinline__ Epoch begin_exchange(const PeerView& view, bool completes, unsigned all) {
  __shared__ Epoch shared_epoch;
  if (threadIdx.x == 0) {
    const Epoch epoch = *const_cast<volatile Epoch*>(view.number) + 1;
    if (completes) {
      __threadfence();  // the number is read before this block counts as having read it
      if (atomicAdd(view.readers, 1u) == all - 1) {
        *view.readers = 0;
        *view.number = epoch;
      }
    }
    shared_epoch = epoch;
  }
  __syncthreads();
  return shared_epoch;
}

/// Stores element(k) for every k of a piece into the neighbour's slot, then raises the flag.
template <class D, class Element>
__device__ __forceinline__ void put_piece(const PutPiece& piece, Epoch epoch, const Element& element) {
  D* const to = reinterpret_cast<D*>(epoch % 2 == 0 ? piece.to[0] : piece.to[1]);
#pragma unroll 4
  for (lidx k = static_cast<lidx>(threadIdx.x); k < piece.count; k += static_cast<lidx>(blockDim.x))
    to[k] = element(piece.first + k);
  __syncthreads();  // the release below covers what the whole block has stored
  if (threadIdx.x == 0)
    cuda::atomic_ref<Epoch, cuda::thread_scope_system>(*piece.flag).store(epoch, cuda::memory_order_release);
}

/// Of one thread: returns when the flag has reached `epoch`.
__device__ __forceinline__ void wait_for_flag(const Epoch& flag, Epoch epoch) {
  const cuda::atomic_ref<Epoch, cuda::thread_scope_system> ref(const_cast<Epoch&>(flag));
  while (ref.load(cuda::memory_order_acquire) < epoch) {
  }
}

/// Returns when all flags have reached `epoch`.
__device__ __forceinline__ void wait_for_flags(const PeerView& view, Epoch epoch) {
  for (int f = static_cast<int>(threadIdx.x); f < view.flags; f += static_cast<int>(blockDim.x))
    wait_for_flag(view.flag[f], epoch);
  __syncthreads();  // what each thread has acquired, all threads may read
}

}  // namespace spmv
