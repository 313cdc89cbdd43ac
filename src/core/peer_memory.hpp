// Memory that the devices of several ranks of a node reach, and how kernels of one rank store into another's
// halo and learn that theirs has come. Plain views: a transport fills them, a kernel uses them, and neither
// knows the other. The memory is a device's, or the host's, pinned.
//
// Every rank lends its neighbours one piece of memory: a flag for every piece of halo that they store, and
// two halves, each with room for the whole halo. Exchange number e uses half e % 2:
//
//   send     stores the elements into the neighbours' halves e % 2, then raises the flags there to e
//   arrive   waits until all own flags have reached e; half e % 2 holds the halo; e is completed
//
// Data before flag: the flag is stored with release after everything that its piece stored; who waits loads
// it with acquire before it reads the half.
//
// Nothing is overwritten that is still read, if an exchange is sent only when the last one has arrived and
// whatever reads its halo is queued before the next send (work in order on one queue does both). For a rank
// that sends e has seen its neighbour's flags e - 1. The neighbour raised these in its send e - 1, which came
// after its last reading of half e % 2, that of exchange e - 2. For this every neighbour raises flags in
// every exchange, also where it has nothing to send.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/backend.hpp"
#include "core/types.hpp"

namespace spmv {

/// Number of an exchange, from 1.
using ExchangeNumber = std::uint64_t;

/// Some elements for one neighbour, stored by one thread block, with a flag of their own.
struct SendPiece {
  lidx first;            // in the order of the send buffer
  lidx count;            // may be 0: a flag alone
  std::byte* to[2];      // where they go in the neighbour's halves
  ExchangeNumber* flag;  // the neighbour's
};

/// A part of the halo that neighbours store: bytes, the same in a half and in the halo.
struct HaloRun {
  std::size_t begin;
  std::size_t bytes;
};

/// What one of a neighbour's pieces brings.
struct ArrivingPiece {
  HaloRun run;                 // may be empty: a flag alone
  const ExchangeNumber* flag;  // own
};

/// Where the elements to send are: element k of the send buffer is number index[k] from `elements` on, or
/// number k where there is no index. Device memory.
struct SendSource {
  const std::byte* elements;
  const lidx* index = nullptr;
};

/// All pointers are memory that this rank's device reaches: its own, a neighbour's that is mapped here, or,
/// for halves and flags, pinned host memory.
struct PeerView {
  const SendPiece* piece = nullptr;
  int pieces = 0;
  const std::byte* half[2] = {nullptr, nullptr};  // own
  const ExchangeNumber* flag = nullptr;           // own, raised by neighbours, one after the other
  int flags = 0;
  const HaloRun* run = nullptr;  // all of the halo that comes this way
  int runs = 0;
  std::size_t bytes = 0;                    // of all runs together
  const ArrivingPiece* arriving = nullptr;  // the same by flag, `flags` of them, as they may be expected
  bool on_host = false;                     // halves and flags, own and the neighbours'
  bool device_shared = false;               // other ranks' kernels may need what a waiting block holds
  ExchangeNumber* number = nullptr;         // the last completed exchange
  unsigned* readers = nullptr;              // thread blocks that have read `number` in the exchange under way
};

/// Queues the send of elements of `element_bytes` bytes. Local.
void queue_send(Queue& queue, const PeerView& view, const SendSource& source, std::size_t element_bytes);

/// Queues the wait for the halo, of elements of `element_bytes` bytes, and its copy to `halo`; then the
/// exchange is completed. Its waiting thread blocks are fewer than a GPU holds at once, and no other work
/// waits for them but on this queue, so what they wait for can always run. It may begin before a send ends that was
/// queued just before it, and ends after it. Local.
void queue_arrive(Queue& queue, const PeerView& view, std::byte* halo, std::size_t element_bytes);

/// Queues a copy of flags in device memory to host memory, of this rank or of a neighbour, while others may
/// raise them. Local.
void queue_look(Queue& queue, ExchangeNumber* to, const ExchangeNumber* flags, std::size_t count);

/// Raises all of this rank's own flags beyond every exchange, from any thread: what waits for neighbours goes on
/// at once, with whatever the halves hold. For an exchange that was abandoned. `queue` must be one on which
/// nothing waits. Local.
void raise_all_flags(Queue& queue, const PeerView& view);

// The same as kernels. Defined in peer_memory_cuda.cu, or for a build without CUDA in cuda_off.cpp.
void launch_send_cuda(const PeerView& view, const SendSource& source, std::size_t element_bytes,
                      void* stream);
void launch_arrive_cuda(const PeerView& view, std::byte* halo, std::size_t element_bytes, void* stream);

/// A flag that the host reaches, with acquire. Local.
ExchangeNumber load_flag(const ExchangeNumber& flag);

}  // namespace spmv
