// From host memory into the halo, as parts arrive.
#pragma once

#include <cstddef>
#include <vector>

#include "core/backend.hpp"
#include "core/phase_log.hpp"

namespace spmv {

/// Parts that have arrived in host memory, on their way into the halo. They are held back until
/// least_copy_bytes of them are there, or the last is, and those that lie together on both sides then share a
/// copy.
class Uploads {
 public:
  /// The parts that follow, until end(), go to `halo`. No device work. Local.
  void begin(std::byte* halo, PhaseLog* log);
  /// A part is there: `bytes` bytes at `from`, for the halo from byte `to` on. Memory at `from` is read until
  /// the work queued here is done. Local.
  void add(Queue& queue, std::size_t to, const std::byte* from, std::size_t bytes);
  /// No part will come any more: queues those held back. Local.
  void end(Queue& queue);

 private:
  struct Part {
    std::size_t to;
    const std::byte* from;
    std::size_t bytes;
  };
  void flush(Queue& queue);

  std::byte* halo_ = nullptr;
  PhaseLog* log_ = nullptr;
  std::vector<Part> held_;
  std::size_t held_bytes_ = 0;
  bool begun_ = false;
};

}  // namespace spmv
