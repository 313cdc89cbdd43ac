#pragma once

#include <atomic>
#include <stdexcept>
#include <thread>

namespace spmv {

/// Thrown out of a loop that polls, in a thread whose work was given up.
class GivenUp : public std::runtime_error {
 public:
  GivenUp() : std::runtime_error("was given up") {}
};

/// Paces a loop that polls for something another rank or the device does. Polls without pause at first, as a
/// halo is usually microseconds away; then gives the core away between polls, because a rank without a core
/// of its own would otherwise keep away, for the whole of its time slice, the very thread that it waits for.
class Patience {
 public:
  /// After a poll that found nothing. Throws GivenUp where this thread's work was given up.
  void pause() {
    constexpr int tries = 300;
    if (++fruitless_ <= tries) return;
    if (given_up() != nullptr && given_up()->load(std::memory_order_relaxed)) throw GivenUp();
    std::this_thread::yield();
  }
  /// After a poll that found something.
  void renew() { fruitless_ = 0; }

  /// From now on loops of this thread end when `flag` is raised, which must outlive the thread.
  static void end_by(const std::atomic<bool>& flag) { given_up() = &flag; }

 private:
  static const std::atomic<bool>*& given_up() {
    thread_local const std::atomic<bool>* flag = nullptr;
    return flag;
  }

  int fruitless_ = 0;
};

}  // namespace spmv
