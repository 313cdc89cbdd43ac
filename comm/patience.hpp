#pragma once

#include <thread>

#include "comm/give_up.hpp"

namespace spmv {

/// Paces a loop that polls for something another rank or the device does. Polls without pause at first, as a
/// halo is usually microseconds away; then gives the core away between polls, because a rank without a core
/// of its own would otherwise keep away, for the whole of its time slice, the very thread that it waits for.
class Patience {
 public:
  /// After a poll that found nothing. Never returns where this thread's work was given up; the loop must hold
  /// no lock that others need.
  void pause() {
    constexpr int tries = 300;
    if (++fruitless_ <= tries) return;
    LimitedWork::rest_if_given_up();
    std::this_thread::yield();
  }
  /// After a poll that found something.
  void renew() { fruitless_ = 0; }

 private:
  int fruitless_ = 0;
};

}  // namespace spmv
