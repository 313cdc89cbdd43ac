#include "app/watchdog.hpp"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv {

Watchdog::Watchdog(double timeout, int rank) : timeout_(timeout), rank_(rank) {
  if (timeout_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::step(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    step_ = text;
    ++steps_;
  }
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    const unsigned long seen = steps_;
    const bool moved = changed_.wait_for(lock, std::chrono::duration<double>(timeout_),
                                         [&] { return leaving_ || steps_ != seen; });
    if (moved) continue;
    fmt::print(
        stderr,
        "spmv_dist: rank {} made no progress for {} s while {}; raise --timeout if that is too short\n",
        rank_, timeout_, step_);
    // MPI may be stuck itself: leave without it, the launcher ends the other ranks.
    std::_Exit(static_cast<int>(ExitCode::timeout));
  }
}

}  // namespace spmv
