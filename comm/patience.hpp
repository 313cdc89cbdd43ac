#pragma once

#include <thread>

#include "comm/limited_work.hpp"

namespace spmv {

/// Paces a loop that polls for something that another rank or the device does. Polls without pause at first,
/// because a halo usually takes microseconds; then yields between polls, because a rank that shares its core
/// would otherwise keep it, for a whole time slice, from the thread that it waits for.
class Patience {
 public:
  /// After a poll that found nothing. Never returns where this thread's work was abandoned; the loop must hold
  /// no lock that others need.
  void pause() {
    constexpr int tries = 300;
    if (++fruitless_ <= tries) return;
    LimitedWork::stop_if_abandoned();
    std::this_thread::yield();
  }
  /// After a poll that found something.
  void renew() { fruitless_ = 0; }

 private:
  int fruitless_ = 0;
};

}  // namespace spmv
