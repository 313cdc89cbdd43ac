#include "comm/give_up.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <unistd.h>

namespace spmv {
namespace {

/// Of the calling thread; nullptr: its work cannot be given up.
std::shared_ptr<GiveUp>& current() {
  thread_local std::shared_ptr<GiveUp> give_up;
  return give_up;
}

}  // namespace

GiveUp::Scope::Scope(std::shared_ptr<GiveUp> give_up) {
  current() = std::move(give_up);
}

GiveUp::Scope::~Scope() {
  current().reset();
}

void GiveUp::ask() {
  const std::lock_guard lock(mutex_);
  asked_ = true;
  for (const std::function<void()>& end : ends_) {
    try {
      end();
    } catch (...) {  // this wait goes on: the thread may never come to rest, which rests_within() then says
    }
  }
}

bool GiveUp::rests_within(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return rests_; });
}

void GiveUp::rest_if_asked() {
  GiveUp* const give_up = current().get();
  if (give_up != nullptr && give_up->asked_.load(std::memory_order_relaxed)) give_up->rest();
}

void GiveUp::rest() {
  {
    const std::lock_guard lock(mutex_);
    rests_ = true;
  }
  changed_.notify_all();
  while (true) ::pause();
}

EndWaiting::EndWaiting(std::function<void()> end) : give_up_(current()) {
  if (give_up_ == nullptr) return;
  {
    const std::lock_guard lock(give_up_->mutex_);
    place_ = give_up_->ends_.insert(give_up_->ends_.end(), std::move(end));
  }
  GiveUp::rest_if_asked();  // ask() may have come before `end` was in the list, and has not called it
}

EndWaiting::~EndWaiting() {
  if (give_up_ == nullptr) return;
  const std::lock_guard lock(give_up_->mutex_);
  give_up_->ends_.erase(place_);
}

}  // namespace spmv
