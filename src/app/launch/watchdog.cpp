#include "app/launch/watchdog.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "app/launch/last_words.hpp"
#include "app/say.hpp"
#include "core/error.hpp"

namespace spmv {

Watchdog::Watchdog(double timeout, int rank, std::function<void(const std::string&)> before_leaving)
    : timeout_(timeout), rank_(rank), before_leaving_(std::move(before_leaving)) {
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
    log_.begin(text);
    beyond_timeout_ = beyond_timeout;
    ++stages_;
  }
  changed_.notify_all();
}

std::string Watchdog::current_stage() {
  const std::lock_guard lock(mutex_);
  return stage_;
}

std::vector<StageRecord> Watchdog::stages() {
  const std::lock_guard lock(mutex_);
  return log_.stages();
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
  const unsigned long seen = stages_, signs = signs_;
  const double slice = (timeout_ + beyond_timeout_) / slices;
  for (int i = 0; i < slices; ++i)
    if (changed_.wait_for(lock, std::chrono::duration<double>(slice),
                          [&] { return leaving_ || stages_ != seen; }) ||
        signs_ != signs)
      return false;
  return true;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    if (!stuck(lock)) continue;
    const std::string detail = detail_ ? detail_() : "";
    const std::string because =
        fmt::format("rank {} made no progress for {} s while {}{}{}", rank_, timeout_ + beyond_timeout_,
                    stage_, detail.empty() ? "" : ", ", detail);
    say(fmt::format("spmv_dist: {}; raise --timeout if that is too short", because));
    lock.unlock();
    // So that the other ranks can speak, too, and rank 0 can write: when one leaves the launcher ends the others.
    const std::chrono::seconds grace(rank_ == 0 ? 2 : 5);
    const auto leaves = std::chrono::steady_clock::now() + grace;
    constexpr double longest_writing_s = 10;
    if (before_leaving_) last_words([this, because] { before_leaving_(because); }, longest_writing_s);
    std::this_thread::sleep_until(leaves);
    // MPI may be what is stuck: the process leaves without it, and the launcher then ends the other ranks.
    std::_Exit(static_cast<int>(ExitCode::timeout));
  }
}

}  // namespace spmv
