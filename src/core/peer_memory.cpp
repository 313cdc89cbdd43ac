#include "core/peer_memory.hpp"

#include <atomic>
#include <cstring>
#include <thread>

namespace spmv {
namespace {

void put_host(const PeerView& view, const std::byte* packed, std::size_t element_bytes) {
  const Epoch epoch = *view.number + 1;
  for (int p = 0; p < view.pieces; ++p) {
    const PutPiece& piece = view.piece[p];
    if (piece.count > 0)
      std::memcpy(piece.to[epoch % 2], packed + static_cast<std::size_t>(piece.first) * element_bytes,
                  static_cast<std::size_t>(piece.count) * element_bytes);
    std::atomic_ref<Epoch>(*piece.flag).store(epoch, std::memory_order_release);
  }
}

/// A flag is only ever loaded here; an atomic_ref cannot be made of a const one.
Epoch load(const Epoch& flag, std::memory_order order) {
  return std::atomic_ref<Epoch>(const_cast<Epoch&>(flag)).load(order);
}

void arrive_host(const PeerView& view, std::byte* halo) {
  const Epoch epoch = *view.number + 1;
  for (int f = 0; f < view.flags; ++f)
    while (load(view.flag[f], std::memory_order_acquire) < epoch) std::this_thread::yield();
  for (int r = 0; r < view.runs; ++r)
    std::memcpy(halo + view.run[r].begin, view.slot[epoch % 2] + view.run[r].begin, view.run[r].bytes);
  *view.number = epoch;
}

}  // namespace

void queue_put(Queue& queue, const PeerView& view, const std::byte* packed, std::size_t element_bytes) {
  if (queue.stream() != nullptr) return launch_put_cuda(view, packed, element_bytes, queue.stream());
  queue.run([=] { put_host(view, packed, element_bytes); });
}

void queue_arrive(Queue& queue, const PeerView& view, std::byte* halo) {
  if (queue.stream() != nullptr) return launch_arrive_cuda(view, halo, queue.stream());
  queue.run([=] { arrive_host(view, halo); });
}

void queue_look(Queue& queue, Epoch* to, const Epoch* flags, std::size_t count) {
  if (queue.stream() != nullptr) return queue.copy(to, flags, count * sizeof(Epoch), Copy::to_host);
  queue.run([=] {
    for (std::size_t f = 0; f < count; ++f) to[f] = load(flags[f], std::memory_order_relaxed);
  });
}

}  // namespace spmv
