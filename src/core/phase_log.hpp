// When each phase of one product ran, on the host's clock and the device's, on one time axis.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "core/backend.hpp"

namespace spmv {

/// The parts of a distributed product. `merged`: all rows, after the halo has arrived. Where the rows are laid
/// out in two parts instead, `interior` waits for no halo, and `boundary` follows when it is there.
enum class Phase { upload_x, gather, d2h, mpi, h2d, merged, interior, boundary, download_y };
inline constexpr std::size_t phase_count = 9;
const char* phase_name(Phase phase);

/// Seconds since the product began.
struct Interval {
  Phase phase;
  double begin;
  double end;
};

/// Times the phases of one product at a time. Each phase happens at most once in a product. Different threads
/// may time different phases; begin_product() and intervals() belong to the thread that runs the product.
class PhaseLog {
 public:
  explicit PhaseLog(const std::shared_ptr<Backend>& backend);

  /// Forgets the last product and sets the origin of both clocks. The device must be idle.
  void begin_product(Queue& queue);
  /// The phases that happened. All queued work must be done.
  std::vector<Interval> intervals() const;

  void begin(Phase phase, Queue& queue) { queue.record(*slot(phase).begin); }
  void end(Phase phase, Queue& queue) {
    queue.record(*slot(phase).end);
    slot(phase).kind = Kind::device;
  }
  void begin(Phase phase) { slot(phase).host_begin = Clock::now(); }
  void end(Phase phase) {
    slot(phase).host_end = Clock::now();
    slot(phase).kind = Kind::host;
  }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Kind { absent, device, host };
  struct Slot {
    Kind kind = Kind::absent;
    std::unique_ptr<Event> begin, end;
    Clock::time_point host_begin, host_end;
  };
  Slot& slot(Phase phase) { return slots_[static_cast<std::size_t>(phase)]; }

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Event> origin_;
  Clock::time_point host_origin_;
  std::array<Slot, phase_count> slots_;
};

/// Times a scope's device work on a queue; does nothing without a log.
class DevicePhase {
 public:
  DevicePhase(PhaseLog* log, Phase phase, Queue& queue) : log_(log), phase_(phase), queue_(queue) {
    if (log_ != nullptr) log_->begin(phase_, queue_);
  }
  /// Leaves the end out when the scope is left by an exception: the device may take no more work.
  ~DevicePhase() noexcept(false) {
    if (log_ != nullptr && std::uncaught_exceptions() == exceptions_) log_->end(phase_, queue_);
  }
  DevicePhase(const DevicePhase&) = delete;
  DevicePhase& operator=(const DevicePhase&) = delete;

 private:
  PhaseLog* log_;
  Phase phase_;
  Queue& queue_;
  int exceptions_ = std::uncaught_exceptions();
};

/// Times a scope on the host's clock; does nothing without a log.
class HostPhase {
 public:
  HostPhase(PhaseLog* log, Phase phase) : log_(log), phase_(phase) {
    if (log_ != nullptr) log_->begin(phase_);
  }
  ~HostPhase() {
    if (log_ != nullptr) log_->end(phase_);
  }
  HostPhase(const HostPhase&) = delete;
  HostPhase& operator=(const HostPhase&) = delete;

 private:
  PhaseLog* log_;
  Phase phase_;
};

}  // namespace spmv
