// Queues combinations, and adds up the sums that kernels leave in parts.
#pragma once

#include <string>

#include "core/backend.hpp"
#include "core/peer_memory.hpp"
#include "kernels/combine/combination.hpp"
#include "kernels/combine/scalars.hpp"

namespace spmv {

/// Queues the combination. Its formula reads `scalars` as they are when it starts; its sums are left in parts, and its record
/// is line number `line`. `in_loop`: where a requirement of its formula does not hold, those in a loop that follow change nothing
/// either, until Scalars::forget_stop(). Vectors are multivectors of Scalars::columns() columns, stored by rows: each column is
/// combined with its own numbers, requirements and sums. Local; returns when queued.
template <class T>
void queue_combination(Queue& queue, const Combination<T>& combination, Scalars<T>& scalars,
                       std::uint64_t line, bool in_loop = false);

/// Why combinations on this queue share one kernel, which is several times slower than kernels of their own, such as
/// "libnvrtc.so.13 was not found: ..."; empty where they do not. Local.
std::string why_no_own_kernels(const Queue& queue);

/// Queues slot = the sum of its parts, always added in the same order, for each of `slots`. Local; returns when queued.
template <class T>
void queue_own_sums(Queue& queue, Scalars<T>& scalars, SummedSlots slots);

/// Queues slot = the sum of own slot and the other ranks', in the order of the ranks: `others` has the slots of rank 0, then
/// of rank 1 and so on, without this rank's; of a rank, those of column 0 come first, then those of column 1. Device memory.
/// Local; returns when queued.
template <class T>
void queue_rank_sums(Queue& queue, Scalars<T>& scalars, SummedSlots slots, const ScalarOf<T>* others,
                     int rank, int ranks);

/// queue_own_sums() and queue_rank_sums() with the exchange between them, as one kernel: `peers` is one that sends every
/// rank the slots of every other one. Only for one column, on a queue that takes CUDA kernels. Local; returns when queued.
template <class T>
void queue_sums_between_peers(Queue& queue, Scalars<T>& scalars, SummedSlots slots, const PeerView& peers,
                              int rank, int ranks);

}  // namespace spmv
