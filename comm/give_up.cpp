#include "comm/give_up.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include <unistd.h>

namespace spmv {

/// What the thread, its owner and the EndWaitings share; each of them may outlive the others.
struct LimitedWork::State {
  std::atomic<bool> given_up{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false, rests = false;
  std::exception_ptr failure;
  std::list<std::function<void()>> ends;  // of the EndWaitings that live

  /// The state of the calling thread's work; nullptr: nobody can give it up.
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

void LimitedWork::give_up() {
  const std::lock_guard lock(state_->mutex);
  state_->given_up = true;
  for (const std::function<void()>& end : state_->ends) {
    try {
      end();
    } catch (...) {  // this wait goes on: the thread may never rest, which rests_within() then says
    }
  }
}

bool LimitedWork::rests_within(double seconds) {
  return state_->comes_within(seconds, state_->rests);
}

void LimitedWork::rest_if_given_up() {
  State* const state = State::current().get();
  if (state == nullptr || !state->given_up.load(std::memory_order_relaxed)) return;
  state->set(state->rests);
  while (true) pause();
}

EndWaiting::EndWaiting(std::function<void()> end) : state_(LimitedWork::State::current()) {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    place_ = state_->ends.insert(state_->ends.end(), std::move(end));
  }
  LimitedWork::
      rest_if_given_up();  // give_up() may have come before `end` was in the list, and has not called it
}

EndWaiting::~EndWaiting() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->ends.erase(place_);
}

}  // namespace spmv
