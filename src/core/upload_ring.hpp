// Copies from plain host memory to a device at the speed of the bus. The driver's own copies of such memory use one thread;
// here all cores fill pieces of staging memory while the device reads the pieces before.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "core/backend.hpp"

namespace spmv {

/// Staging memory for uploads, kept from one to the next. Safe for several threads, which take turns.
class UploadRing {
 public:
  /// Filled in about 0.1 ms, and taken by the device in another.
  static constexpr std::size_t usual_piece = std::size_t{4} << 20;

  /// `backend` outlives the ring. Nothing is allocated before the first copy of more than `piece_bytes`.
  explicit UploadRing(Backend& backend, std::size_t piece_bytes = usual_piece)
      : backend_(backend), piece_bytes_(piece_bytes) {}
  ~UploadRing();
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;

  /// Copies `bytes` bytes of host memory at `from` to device memory at `to`; blocks until they are there. OpenMP.
  /// Throws Error(memory) if there is no staging memory.
  void copy(void* to, const void* from, std::size_t bytes);

 private:
  struct Piece {
    std::byte* at = nullptr;
    std::unique_ptr<Event> taken;  // the device has read it
  };

  void allocate();

  Backend& backend_;
  std::size_t piece_bytes_;
  std::mutex mutex_;
  std::array<Piece, 4> pieces_;
};

}  // namespace spmv
