#include "core/upload_ring.hpp"

#include <algorithm>

#include "core/parallel_copy.hpp"

namespace spmv {

UploadRing::~UploadRing() {
  for (const Piece& piece : pieces_)
    if (piece.at != nullptr) backend_.release(piece.at, Memory::staging);
}

void UploadRing::allocate() {
  for (Piece& piece : pieces_) {
    if (!piece.taken) piece.taken = backend_.make_event();
    if (piece.at == nullptr)
      piece.at = static_cast<std::byte*>(backend_.allocate(piece_bytes_, Memory::staging));
  }
}

void UploadRing::copy(void* to, const void* from, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto queue = backend_.make_queue(Priority::normal);
  if (bytes <= piece_bytes_) {
    queue->copy(to, from, bytes, Copy::to_device);
    queue->synchronize();
    return;
  }
  allocate();
  for (std::size_t done = 0, next = 0; done < bytes;
       done += piece_bytes_, next = (next + 1) % pieces_.size()) {
    Piece& piece = pieces_[next];
    const std::size_t now = std::min(piece_bytes_, bytes - done);
    piece.taken->synchronize();
    parallel_copy(piece.at, static_cast<const std::byte*>(from) + done, now);
    queue->copy(static_cast<std::byte*>(to) + done, piece.at, now, Copy::to_device);
    queue->record(*piece.taken);
  }
  queue->synchronize();
}

}  // namespace spmv
