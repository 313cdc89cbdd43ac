// A product and its halo exchange in one kernel. Its thread blocks have one of three roles, by their number
// (play_role()):
//
//     blockIdx.x   0 ........... send | send ................. | .......................... all
//                  send blocks        | interior blocks        | boundary blocks
//                  gather x for one   | rows that need no      | wait until the neighbours have raised
//                  piece each, store  | ghosts; wait for       | this rank's flags, then do the rows
//                  it at a neighbour, | nothing                | that need ghosts
//                  raise its flag;    |                        |
//                  wait for nothing   |                        |
//
// Why nothing deadlocks, in whatever order the GPU starts the blocks. Only boundary blocks wait, and there
// are at most half as many of them as the GPU holds at once (waiting_blocks()). So there is always room for a
// block that does not wait; every send block runs in the end and raises its flag. This holds on every rank,
// provided that the kernels of all ranks run at the same time, which is why a PeerView is given out only
// where every rank has a GPU of its own. The numbering above is for speed only: elements leave at once, and
// boundary blocks come last, when their flags have been raised already.
//
// If each interior block goes through many units of work, one GPU full of blocks does the whole interior. Boundary blocks
// beside them would occupy room while they wait, and the boundary would be done after everything else. So all blocks do
// their share of the interior (play_both_roles()); send blocks begin in the middle, and the last blocks do their boundary
// parts before their last round, while the others keep the GPU busy:
//
//     round              0        1        2        3
//     send blocks      ░░░░░░░           ████████ ████████             ░ send
//     other blocks     ████████ ████████ ████████ ████████             █ interior
//     last blocks      ████████ ████████ ▒▒▒████████                   ▒ boundary
//
// If a unit takes a whole block, the boundary comes after the interior (play_roles_in_turn()): the send blocks send,
// then every block multiplies, then the boundary blocks wait.
//
// A last round that is not full leaves the last blocks without a unit. Where there are fewer than two rounds the boundary
// comes last after all.
//
// The GPU holds all of these at once: a block that began late would end late. Here, too, those that wait are at most half
// of what it holds. A block waits once, all of its warps together, because acquiring a flag empties the cache of a
// multiprocessor.
#pragma once

#include <algorithm>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/error.hpp"
#include "core/launch_behind.cuh"
#include "core/peer_memory.cuh"
#include "core/resident.cuh"
#include "kernels/parts/device_value.cuh"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/summed_rows.cuh"
#include "kernels/parts/unit_shares.hpp"
#include "kernels/parts/x_access.cuh"

namespace spmv {

/// Thread blocks of a fused product, by role. In play_both_roles() and play_roles_in_turn() send and boundary blocks multiply
/// interior rows as well.
struct FusedBlocks {
  int send;
  int interior;
  int boundary;
  unsigned all() const { return static_cast<unsigned>(send + interior + boundary); }
};

/// The first thing that all threads do in the kernel of a fused product, which launch_behind() launches. Its blocks
/// may be placed on the GPU while the product before it still runs; they wait here until that product has
/// ended and all it wrote can be seen:
///
///     time ──►
///     product k - 1   ████████████████
///     product k                ░░░░░░░████████████████             ░ placed, waiting in wait_for_product_before()
///     product k + 1                            ░░░░░░░████████     █ computing
///
/// Only when all blocks of product k have passed this point may those of product k + 1 be placed. So product
/// k + 1 is placed after product k - 1 has ended, and at most two products are on the GPU at any time. The
/// caches depend on that. Where x and y change places from product to product, product k - 1 has read, as its
/// x, the vector that product k writes and product k + 1 reads. A kernel's start empties the read-only caches
/// that its blocks use. As product k + 1 starts after product k - 1 has made its last read, it cannot find an
/// old element there.
__device__ __forceinline__ void wait_for_product_before() {
  wait_for_last();
  let_next_begin();
}

/// Does what the thread block is for, by its number. interior(block, x, y) multiplies the rows of interior
/// block number `block`. boundary(part, x, y) multiplies the rows of part number `part` of `boundary_parts`;
/// there may be more parts than boundary blocks, which then take several parts each.
template <class T, class Interior, class Boundary>
__device__ __forceinline__ void play_role(const FusedProduct<T>& product, const FusedBlocks& blocks,
                                          int boundary_parts, const Interior& interior,
                                          const Boundary& boundary) {
  using D = DeviceValue<T>;
  wait_for_product_before();
  const D* const x = as_device(product.x);
  const int block = static_cast<int>(blockIdx.x);
  if (block >= blocks.send && block < blocks.send + blocks.interior)
    return interior(block - blocks.send, WholeX<D>{x}, as_device(product.y));
  const PeerView& peers = product.peers;
  const ExchangeNumber number =
      begin_exchange(peers, true, static_cast<unsigned>(blocks.send + blocks.boundary));
  if (block < blocks.send)
    return send_piece<D>(peers.piece[block], number,
                         [&](lidx k) { return __ldg(x + __ldg(product.send_index + k)); });
  wait_for_flags(peers, number);
  const auto* const ghosts = reinterpret_cast<const D*>(number % 2 == 0 ? peers.half[0] : peers.half[1]);
  for (int part = block - blocks.send - blocks.interior; part < boundary_parts; part += blocks.boundary) {
    boundary(part, GhostedX<D>{x, ghosts, product.owned}, as_device(product.boundary_y));
    __syncthreads();  // shared memory is used again
  }
}

/// The same where all blocks multiply interior rows: interior(unit, x, y) those of unit number `unit` of `units`, by one warp.
/// The last blocks, as many as there are boundary blocks, do boundary parts as well, with all threads of the block together:
/// before their last units, or after them if `boundary_last`.
template <class T, class Interior, class Boundary>
__device__ __forceinline__ void play_both_roles(const FusedProduct<T>& product, const FusedBlocks& blocks,
                                                lidx units, int boundary_parts, bool boundary_last,
                                                const Interior& interior, const Boundary& boundary) {
  using D = DeviceValue<T>;
  wait_for_product_before();
  const D* const x = as_device(product.x);
  const PeerView& peers = product.peers;
  const int block = static_cast<int>(blockIdx.x) - blocks.send;
  const bool waits = block >= blocks.interior;
  ExchangeNumber number = 0;
  if (block < 0 || waits) number = exchange_number(peers);  // who waits needs it only then
  if (block < 0)
    send_pieces<D>(peers.piece, peers.pieces, static_cast<int>(blockIdx.x), blocks.send, number,
                   [&](lidx k) { return __ldg(x + __ldg(product.send_index + k)); });
  __syncthreads();  // all threads have the number, and what the block has loaded to shared memory
  if ((block < 0 || waits) && threadIdx.x == blockDim.x - 1)
    count_reader(peers, number, static_cast<unsigned>(blocks.send + blocks.boundary));

  const auto per_block = static_cast<lidx>(blockDim.x / warpSize);
  const UnitShares shares(units, blocks.send * per_block, (blocks.interior + blocks.boundary) * per_block);
  const auto warp = static_cast<lidx>(threadIdx.x / warpSize);
  if (!waits) {
    lidx unit = block < 0 ? shares.first_of_senders(static_cast<lidx>(blockIdx.x) * per_block + warp)
                          : shares.first_of_others(block * per_block + warp);
    for (; unit < units; unit = shares.next(unit)) interior(unit, WholeX<D>{x}, as_device(product.y));
    return;
  }
  // Every warp waits once, with all others of its block: they meet there from different units, and at as many barriers.
  lidx unit = shares.first_of_others(block * per_block + warp);
  for (bool pending = true;; unit = shares.next(unit)) {
    if (pending && (unit >= units || (shares.next(unit) >= units && !boundary_last))) {
      pending = false;
      wait_for_flags(peers, number);
      const auto* const ghosts = reinterpret_cast<const D*>(number % 2 == 0 ? peers.half[0] : peers.half[1]);
      for (int part = blocks.interior + blocks.boundary - 1 - block; part < boundary_parts;
           part += blocks.boundary) {
        boundary(part, GhostedX<D>{x, ghosts, product.owned}, as_device(product.boundary_y));
        __syncthreads();  // shared memory is used again
      }
    }
    if (unit >= units) return;
    interior(unit, WholeX<D>{x}, as_device(product.y));
  }
}

/// The same where a block goes through its share of the interior with all of its threads together: interior(block, of, x, y)
/// multiplies that of block number `block` of `of`. The boundary comes after it.
template <class T, class Interior, class Boundary>
__device__ __forceinline__ void play_roles_in_turn(const FusedProduct<T>& product, const FusedBlocks& blocks,
                                                   int boundary_parts, const Interior& interior,
                                                   const Boundary& boundary) {
  using D = DeviceValue<T>;
  wait_for_product_before();
  const D* const x = as_device(product.x);
  const PeerView& peers = product.peers;
  const int block = static_cast<int>(blockIdx.x) - blocks.send;
  const bool waits = block >= blocks.interior;
  ExchangeNumber number = 0;
  if (block < 0 || waits) number = exchange_number(peers);
  if (block < 0)
    send_pieces<D>(peers.piece, peers.pieces, static_cast<int>(blockIdx.x), blocks.send, number,
                   [&](lidx k) { return __ldg(x + __ldg(product.send_index + k)); });
  __syncthreads();  // all threads have the number
  if ((block < 0 || waits) && threadIdx.x == blockDim.x - 1)
    count_reader(peers, number, static_cast<unsigned>(blocks.send + blocks.boundary));
  interior(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), WholeX<D>{x}, as_device(product.y));
  if (!waits) return;
  __syncthreads();  // shared memory is used again
  wait_for_flags(peers, number);
  const auto* const ghosts = reinterpret_cast<const D*>(number % 2 == 0 ? peers.half[0] : peers.half[1]);
  for (int part = block - blocks.interior; part < boundary_parts; part += blocks.boundary) {
    boundary(part, GhostedX<D>{x, ghosts, product.owned}, as_device(product.boundary_y));
    __syncthreads();
  }
}

/// Calls launch(rows) with what rows go to: y, or SummedRows if the product is more than y = A x. Returns what it returns.
template <class T, class Launch>
int with_rows(const FusedProduct<T>& product, const Launch& launch) {
  if (!product.sums.any()) return launch(as_device(product.y));
  return launch(SummedRows<T>{as_device(product.y), as_device(product.x), product.sums});
}

/// resident_blocks(), of a kernel whose blocks wait for others. Throws Error(environment) if these are fewer than two:
/// a block that waits must leave room for one that does not.
template <auto kernel>
int blocks_beside_each_other(int threads, std::size_t shared_bytes) {
  const int resident = resident_blocks<kernel>(threads, shared_bytes);
  if (resident < 2)
    throw Error(ExitCode::environment,
                "the GPU holds too few thread blocks for an exchange inside a product: use --mode task");
  return resident;
}

/// Boundary blocks for so many parts: at most half of what the device holds at once. One where there are no
/// parts, because a block has to wait for the flags for the exchange to be over.
inline int waiting_blocks(int boundary_parts, int resident) {
  return std::max(1, std::min(boundary_parts, resident / 2));
}

/// Send blocks of play_both_roles() and play_roles_in_turn() for so many pieces, and as many others as there is room for beside
/// them. A send block takes two pieces: they leave early enough, and a block that sends does not multiply meanwhile.
inline FusedBlocks blocks_of_both_roles(int pieces, int interior_parts, int boundary_parts, int resident) {
  constexpr int pieces_each = 2;
  const int send = std::min((pieces + pieces_each - 1) / pieces_each, resident / 2);
  const int both = std::max(1, std::min(interior_parts + boundary_parts, resident - std::max(1, send)));
  const int waiting = std::min(both, waiting_blocks(boundary_parts, resident));
  return {send, both - waiting, waiting};
}

}  // namespace spmv
