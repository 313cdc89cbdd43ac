#include "app/launch/watchdog.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "app/say.hpp"
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

void Watchdog::stage(const std::string& text, double beyond_timeout) {
  {
    const std::lock_guard lock(mutex_);
    stage_ = text;
    beyond_timeout_ = beyond_timeout;
    ++stages_;
  }
  changed_.notify_all();
}

Watchdog::Detail::Detail(Watchdog& watchdog, std::function<std::string()> source) : watchdog_(watchdog) {
  const std::lock_guard lock(watchdog_.mutex_);
  watchdog_.detail_ = std::move(source);
}

Watchdog::Detail::~Detail() {
  const std::lock_guard lock(watchdog_.mutex_);
  watchdog_.detail_ = nullptr;
}

bool Watchdog::stuck(std::unique_lock<std::mutex>& lock) {
  // The timeout is waited for in slices: a process that was stopped and is continued then finds that one
  // slice is over, and not the whole timeout.
  constexpr int slices = 20;
  const unsigned long seen = stages_;
  const double slice = (timeout_ + beyond_timeout_) / slices;
  for (int i = 0; i < slices; ++i)
    if (changed_.wait_for(lock, std::chrono::duration<double>(slice),
                          [&] { return leaving_ || stages_ != seen; }))
      return false;
  return true;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    if (!stuck(lock)) continue;
    const std::string detail = detail_ ? detail_() : "";
    say(fmt::format(
        "spmv_dist: rank {} made no progress for {} s while {}{}{}; raise --timeout if that is too short",
        rank_, timeout_ + beyond_timeout_, stage_, detail.empty() ? "" : ", ", detail));
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::seconds(2));  // so that the other ranks can speak, too
    // MPI may be what is stuck: the process leaves without it, and the launcher then ends the other ranks.
    std::_Exit(static_cast<int>(ExitCode::timeout));
  }
}

}  // namespace spmv
