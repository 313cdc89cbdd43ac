// The steps of an exchange between peers inside a kernel: all threads of a block call them together.
#pragma once

#include <cuda/atomic>

#include "core/peer_memory.hpp"

namespace spmv {

/// The number of the exchange under way, for each thread by itself, which does not wait for it here.
__device__ __forceinline__ Epoch exchange_number(const PeerView& view) {
  return *const_cast<volatile Epoch*>(view.number) + 1;
}

/// Counts a thread block as having read the number, by one thread, behind a barrier behind which all of its threads
/// have it. Of `all` thread blocks the last one completes the exchange: nobody reads the number after that.
__device__ __forceinline__ void count_reader(const PeerView& view, Epoch epoch, unsigned all) {
  __threadfence();  // the number is read before this block counts as having read it
  if (atomicAdd(view.readers, 1u) != all - 1) return;
  __threadfence();  // and so have all others
  *view.readers = 0;
  *view.number = epoch;
}

/// The number of the exchange under way. Of the thread blocks that call this in one exchange, `all` in
/// number, the last one completes it if `completes`: nobody reads the number after that.
__device__ __forceinline__ Epoch begin_exchange(const PeerView& view, bool completes, unsigned all) {
  __shared__ Epoch shared_epoch;
  if (threadIdx.x == 0) {
    const Epoch epoch = exchange_number(view);
    if (completes) count_reader(view, epoch, all);
    shared_epoch = epoch;
  }
  __syncthreads();
  return shared_epoch;
}

/// Stores element(k) for every k of the pieces first, first + step, ... of `pieces` into the neighbours' slots, then
/// raises their flags.
template <class D, class Element>
__device__ __forceinline__ void put_pieces(const PutPiece* piece, int pieces, int first, int step,
                                           Epoch epoch, const Element& element) {
  for (int p = first; p < pieces; p += step) {
    const PutPiece mine = piece[p];
    D* const to = reinterpret_cast<D*>(epoch % 2 == 0 ? mine.to[0] : mine.to[1]);
#pragma unroll 4
    for (lidx k = static_cast<lidx>(threadIdx.x); k < mine.count; k += static_cast<lidx>(blockDim.x))
      to[k] = element(mine.first + k);
  }
  __syncthreads();  // the releases below cover what the whole block has stored
  for (int p = first + static_cast<int>(threadIdx.x) * step; p < pieces;
       p += static_cast<int>(blockDim.x) * step)
    cuda::atomic_ref<Epoch, cuda::thread_scope_system>(*piece[p].flag)
        .store(epoch, cuda::memory_order_release);
}

/// The same of one piece.
template <class D, class Element>
__device__ __forceinline__ void put_piece(const PutPiece& piece, Epoch epoch, const Element& element) {
  put_pieces<D>(&piece, 1, 0, 1, epoch, element);
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
