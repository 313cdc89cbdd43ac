#include "comm/limited_work.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace spmv {

/// What the thread, its owner and the OnAbandons share; each of them may outlive the others.
struct LimitedWork::State {
  std::atomic<bool> abandoned{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false, stopped = false;
  std::exception_ptr failure;
  std::list<std::function<void()>> on_abandon;  // of the OnAbandons that live

  /// The state of the calling thread's work; nullptr: nobody can abandon it.
  static std::shared_ptr<State>& current() {
    thread_local std::shared_ptr<State> state;
    return state;
  }
  bool comes_within(double seconds, const bool& wanted) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return wanted; });
  }
  void set(bool& flag) {
    const std::lock_guard lock(mutex);
    flag = true;
    changed.notify_all();
  }
};

LimitedWork::LimitedWork(std::function<void()> work)
    : work_(std::move(work)), state_(std::make_shared<State>()), thread_([this] {
        State::current() = state_;
        try {
          work_();
        } catch (...) {
          state_->failure = std::current_exception();
        }
        State::current().reset();
        state_->set(state_->ended);
      }) {}

LimitedWork::~LimitedWork() {
  if (thread_.joinable()) thread_.join();
}

bool LimitedWork::ends_within(double seconds) {
  return state_->comes_within(seconds, state_->ended);
}

std::exception_ptr LimitedWork::failure() const {
  return state_->failure;
}

void LimitedWork::mark_abandoned() {
  const std::lock_guard lock(state_->mutex);
  state_->abandoned = true;
  for (const std::function<void()>& end : state_->on_abandon) {
    try {
      end();
    } catch (...) {  // this wait goes on: the thread may never stop, which stops_within() then says
    }
  }
}

bool LimitedWork::stops_within(double seconds) {
  return state_->comes_within(seconds, state_->stopped);
}

void LimitedWork::stop_if_abandoned() {
  State* const state = State::current().get();
  if (state == nullptr || !state->abandoned.load(std::memory_order_relaxed)) return;
  state->set(state->stopped);
  while (true) pause();
}

OnAbandon::OnAbandon(std::function<void()> end) : state_(LimitedWork::State::current()) {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    place_ = state_->on_abandon.insert(state_->on_abandon.end(), std::move(end));
  }
  LimitedWork::
      stop_if_abandoned();  // mark_abandoned() may have come before `end` was in the list, and has not called it
}

OnAbandon::~OnAbandon() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->on_abandon.erase(place_);
}

}  // namespace spmv
