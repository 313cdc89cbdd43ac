#include "app/launch/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

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
    line_.end();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::stage(const std::string& text, const StageFacts& facts) {
  {
    const std::lock_guard lock(mutex_);
    stage_ = text;
    log_.begin(text);
    line_.stage(text, facts);
    beyond_timeout_ = facts.beyond_timeout;
    ++stages_;
  }
  changed_.notify_all();
}

void Watchdog::show_stages() {
  {
    const std::lock_guard lock(mutex_);
    line_.start(says_on_terminal());
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
}

void Watchdog::end_showing() {
  const std::lock_guard lock(mutex_);
  line_.end();
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
  // Waits in slices: when a stopped process continues, only one slice is over and not the whole timeout.
  constexpr int slices = 20;
  const unsigned long seen = stages_, signs = signs_;
  constexpr double any_time = 60;  // where nothing but the next stage is waited for
  const double slice = timeout_ > 0 ? (timeout_ + beyond_timeout_) / slices : any_time;
  for (int i = 0; i < slices; ++i)
    if (news_within(lock, slice, seen) || signs_ != signs) return false;
  return timeout_ > 0;
}

bool Watchdog::news_within(std::unique_lock<std::mutex>& lock, double seconds, unsigned long seen) {
  using Clock = StageLine::Clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    show_what_is_due(lock);
    if (changed_.wait_until(lock, std::min(end, line_.due()), [&] { return leaving_ || stages_ != seen; }))
      return true;
    if (Clock::now() >= end) return false;
  }
}

void Watchdog::show_what_is_due(std::unique_lock<std::mutex>& lock) {
  if (StageLine::Clock::now() < line_.due()) return;
  const std::string note = line_.show();
  if (note.empty()) return;
  lock.unlock();  // whoever reads the log may be slow, and no stage waits for that
  say("note: " + note);
  lock.lock();
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
    // Gives the other ranks time to print, and rank 0 to write: when one leaves, the launcher ends the others.
    const std::chrono::seconds grace(rank_ == 0 ? 2 : 5);
    const auto leaves = std::chrono::steady_clock::now() + grace;
    constexpr double longest_writing_s = 10;
    if (before_leaving_) last_words([this, because] { before_leaving_(because); }, longest_writing_s);
    std::this_thread::sleep_until(leaves);
    // MPI may be stuck itself: the process ends without it, and the launcher then ends the other ranks.
    std::_Exit(static_cast<int>(ExitCode::timeout));
  }
}

}  // namespace spmv
