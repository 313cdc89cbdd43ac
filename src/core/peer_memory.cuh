// The steps of an exchange between peers inside a kernel: all threads of a block call them together.
#pragma once

#include <cuda/atomic>

#include "core/peer_memory.hpp"

namespace spmv {

/// The number of the exchange under way, for each thread by itself, which does not wait for it here.
__device__ __forceinline__ ExchangeNumber exchange_number(const PeerView& view) {
  return *const_cast<volatile ExchangeNumber*>(view.number) + 1;
}

/// Counts a thread block as having read the number, by one thread, after a barrier after which all of its threads
/// have it. Of `all` thread blocks the last one completes the exchange: nobody reads the number after that.
__device__ __forceinline__ void count_reader(const PeerView& view, ExchangeNumber number, unsigned all) {
  __threadfence();  // the number is read before this block counts as having read it
  if (atomicAdd(view.readers, 1u) != all - 1) return;
  __threadfence();  // and so have all others
  *view.readers = 0;
  *view.number = number;
}

/// The number of the exchange under way. Of the thread blocks that call this in one exchange, `all` in
/// number, the last one completes it if `completes`: nobody reads the number after that.
__device__ __forceinline__ ExchangeNumber begin_exchange(const PeerView& view, bool completes, unsigned all) {
  __shared__ ExchangeNumber shared_number;
  if (threadIdx.x == 0) {
    const ExchangeNumber number = exchange_number(view);
    if (completes) count_reader(view, number, all);
    shared_number = number;
  }
  __syncthreads();
  return shared_number;
}

/// Stores element(k) for every k of the pieces first, first + step, ... of `pieces` into the neighbours' halves, then
/// raises their flags.
template <class D, class Element>
__device__ __forceinline__ void send_pieces(const SendPiece* piece, int pieces, int first, int step,
                                            ExchangeNumber number, const Element& element) {
  for (int p = first; p < pieces; p += step) {
    const SendPiece mine = piece[p];
    D* const to = reinterpret_cast<D*>(number % 2 == 0 ? mine.to[0] : mine.to[1]);
#pragma unroll 4
    for (lidx k = static_cast<lidx>(threadIdx.x); k < mine.count; k += static_cast<lidx>(blockDim.x))
      to[k] = element(mine.first + k);
  }
  __syncthreads();  // the releases below cover what the whole block has stored
  for (int p = first + static_cast<int>(threadIdx.x) * step; p < pieces;
       p += static_cast<int>(blockDim.x) * step)
    cuda::atomic_ref<ExchangeNumber, cuda::thread_scope_system>(*piece[p].flag)
        .store(number, cuda::memory_order_release);
}

/// The same of one piece.
template <class D, class Element>
__device__ __forceinline__ void send_piece(const SendPiece& piece, ExchangeNumber number,
                                           const Element& element) {
  send_pieces<D>(&piece, 1, 0, 1, number, element);
}

/// Of one thread: returns when the flag has reached `number`.
__device__ __forceinline__ void wait_for_flag(const ExchangeNumber& flag, ExchangeNumber number) {
  const cuda::atomic_ref<ExchangeNumber, cuda::thread_scope_system> ref(const_cast<ExchangeNumber&>(flag));
  while (ref.load(cuda::memory_order_acquire) < number) {
  }
}

/// Returns when all flags have reached `number`.
__device__ __forceinline__ void wait_for_flags(const PeerView& view, ExchangeNumber number) {
  for (int f = static_cast<int>(threadIdx.x); f < view.flags; f += static_cast<int>(blockDim.x))
    wait_for_flag(view.flag[f], number);
  __syncthreads();  // what each thread has acquired, all threads may read
}

}  // namespace spmv
