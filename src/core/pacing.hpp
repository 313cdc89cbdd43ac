#pragma once

#include <chrono>
#include <thread>

namespace spmv {

/// Paces a loop that polls for something that another rank, thread or the device does. Polls without pause at
/// first, as it is usually microseconds away; then gives the core away between polls, because a thread without a
/// core of its own would otherwise keep away, for the whole of its time slice, the very one that it waits for; and
/// after some ten milliseconds sleeps between polls, by less than a hundredth of what it has waited: whoever is so
/// late has other work to do, on cores that may be these.
class Pacing {
 public:
  /// Whether the time of polling without pause is over.
  bool is_slow() const { return fruitless_ > tries; }
  /// After a poll that found nothing.
  void pause() {
    if (++fruitless_ <= tries) return;
    const auto now = Clock::now();
    if (fruitless_ == tries + 1) yields_since_ = now;
    if (now - yields_since_ < long_wait)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap);
  }
  /// After a poll that found something.
  void renew() { fruitless_ = 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr long tries = 300;
  static constexpr std::chrono::milliseconds long_wait{10};
  static constexpr std::chrono::microseconds nap{20};  // the kernel makes some 70 of it

  long fruitless_ = 0;
  Clock::time_point yields_since_;
};

}  // namespace spmv
