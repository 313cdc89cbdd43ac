#include "comm/comm_thread.hpp"

#include <utility>

#include "comm/place/cores.hpp"
#include "core/range.hpp"

namespace spmv {

CommThread::CommThread(std::shared_ptr<Backend> backend, int core)
    : backend_(std::move(backend)), core_(core), thread_([this] { loop(); }) {}

CommThread::~CommThread() {
  await_change(submitted);  // work under way still uses what its owner is about to release
  state_.store(leaving, std::memory_order_release);
  state_.notify_all();
  thread_.join();
}

void CommThread::submit(std::function<void()> work) {
  work_ = std::move(work);
  state_.store(submitted, std::memory_order_release);
  state_.notify_all();
}

void CommThread::join_dropping_failure() noexcept {
  await_change(submitted);
  state_.store(idle, std::memory_order_relaxed);
  failure_ = nullptr;
}

void CommThread::join() {
  await_change(submitted);
  state_.store(idle, std::memory_order_relaxed);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

int CommThread::await_change(int unwanted) const {
  // About the time between two products of an iteration; after that, sleeping costs less than it saves.
  constexpr int spins = 200000;
  for (int i = 0; core_ >= 0 && i < spins; ++i) {
    const int state = state_.load(std::memory_order_acquire);
    if (state != unwanted) return state;
  }
  state_.wait(unwanted, std::memory_order_acquire);
  return state_.load(std::memory_order_acquire);
}

void CommThread::loop() {
  if (core_ >= 0) bind_to({core_});
  try {
    backend_->use_in_this_thread();
  } catch (...) {
    failure_ = std::current_exception();
  }
  while (true) {
    int state = state_.load(std::memory_order_acquire);
    while (state == idle || state == done) state = await_change(state);
    if (state == leaving) return;
    try {
      const Range range("communication thread");
      if (!failure_) work_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    state_.store(done, std::memory_order_release);
    state_.notify_all();
  }
}

}  // namespace spmv
