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

void wait_for(const Epoch& flag, Epoch epoch) {
  while (load_flag(flag) < epoch) std::this_thread::yield();
}

void arrive_host(const PeerView& view, std::byte* halo) {
  const Epoch epoch = *view.number + 1;
  const auto fetch = [&](const HaloRun& run) {
    std::memcpy(halo + run.begin, view.slot[epoch % 2] + run.begin, run.bytes);
  };
  for (int f = 0; f < view.flags; ++f) {
    wait_for(view.flag[f], epoch);
    if (view.on_host) fetch(view.arriving[f]);
  }
  for (int r = 0; r < view.runs && !view.on_host; ++r) fetch(view.run[r]);
  *view.number = epoch;
}

}  // namespace

Epoch load_flag(const Epoch& flag) {
  // Only loaded; but an atomic_ref cannot be made of a const one.
  return std::atomic_ref<Epoch>(const_cast<Epoch&>(flag)).load(std::memory_order_acquire);
}

void queue_put(Queue& queue, const PeerView& view, const std::byte* packed, std::size_t element_bytes) {
  if (queue.stream() != nullptr) return launch_put_cuda(view, packed, element_bytes, queue.stream());
  queue.run([=] { put_host(view, packed, element_bytes); });
}

void queue_arrive(Queue& queue, const PeerView& view, std::byte* halo, std::size_t element_bytes) {
  if (queue.stream() != nullptr) return launch_arrive_cuda(view, halo, element_bytes, queue.stream());
  queue.run([=] { arrive_host(view, halo); });
}

void queue_look(Queue& queue, Epoch* to, const Epoch* flags, std::size_t count) {
  if (queue.stream() != nullptr) return queue.copy(to, flags, count * sizeof(Epoch), Copy::to_host);
  queue.run([=] {
    for (std::size_t f = 0; f < count; ++f) to[f] = load_flag(flags[f]);
  });
}

}  // namespace spmv
