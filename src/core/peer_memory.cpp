#include "core/peer_memory.hpp"

#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

namespace spmv {
namespace {

void send_host(const PeerView& view, const SendSource& source, std::size_t element_bytes) {
  const ExchangeNumber number = *view.number + 1;
  for (int p = 0; p < view.pieces; ++p) {
    const SendPiece& piece = view.piece[p];
    const auto copy = [&](lidx to, lidx from, lidx count) {
      std::memcpy(piece.to[number % 2] + static_cast<std::size_t>(to) * element_bytes,
                  source.elements + static_cast<std::size_t>(from) * element_bytes,
                  static_cast<std::size_t>(count) * element_bytes);
    };
    if (source.index == nullptr && piece.count > 0) copy(0, piece.first, piece.count);
    for (lidx k = 0; k < piece.count && source.index != nullptr; ++k)
      copy(k, source.index[piece.first + k], 1);
    std::atomic_ref<ExchangeNumber>(*piece.flag).store(number, std::memory_order_release);
  }
}

void wait_for(const ExchangeNumber& flag, ExchangeNumber number) {
  while (load_flag(flag) < number) std::this_thread::yield();
}

void arrive_host(const PeerView& view, std::byte* halo) {
  const ExchangeNumber number = *view.number + 1;
  const auto fetch = [&](const HaloRun& run) {
    std::memcpy(halo + run.begin, view.half[number % 2] + run.begin, run.bytes);
  };
  for (int f = 0; f < view.flags; ++f) {
    const ArrivingPiece& piece = view.arriving[f];
    wait_for(*piece.flag, number);
    if (view.on_host) fetch(piece.run);
  }
  for (int r = 0; r < view.runs && !view.on_host; ++r) fetch(view.run[r]);
  *view.number = number;
}

}  // namespace

ExchangeNumber load_flag(const ExchangeNumber& flag) {
  // Only loaded; but an atomic_ref cannot be made of a const one.
  return std::atomic_ref<ExchangeNumber>(const_cast<ExchangeNumber&>(flag)).load(std::memory_order_acquire);
}

void queue_send(Queue& queue, const PeerView& view, const SendSource& source, std::size_t element_bytes) {
  if (queue.takes_cuda_kernels()) return launch_send_cuda(view, source, element_bytes, queue.stream());
  queue.run([=] { send_host(view, source, element_bytes); });
}

void queue_arrive(Queue& queue, const PeerView& view, std::byte* halo, std::size_t element_bytes) {
  if (queue.takes_cuda_kernels()) return launch_arrive_cuda(view, halo, element_bytes, queue.stream());
  queue.run([=] { arrive_host(view, halo); });
}

void queue_look(Queue& queue, ExchangeNumber* to, const ExchangeNumber* flags, std::size_t count) {
  if (queue.takes_cuda_kernels()) return queue.copy(to, flags, count * sizeof(ExchangeNumber), Copy::to_host);
  queue.run([=] {
    for (std::size_t f = 0; f < count; ++f) to[f] = load_flag(flags[f]);
  });
}

void raise_all_flags(Queue& queue, const PeerView& view) {
  auto* const flag =
      const_cast<ExchangeNumber*>(view.flag);  // own memory, which otherwise only neighbours write
  constexpr unsigned char every_bit = 0xff;
  if (queue.takes_cuda_kernels() && !view.on_host)
    return queue.fill(flag, every_bit, static_cast<std::size_t>(view.flags) * sizeof(ExchangeNumber));
  for (int f = 0; f < view.flags; ++f)
    std::atomic_ref<ExchangeNumber>(flag[f]).store(std::numeric_limits<ExchangeNumber>::max(),
                                                   std::memory_order_release);
}

}  // namespace spmv
