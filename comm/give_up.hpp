// Work that was given up, as the thread sees it that does the work.
//
// A thread that waits for other ranks may wait for ever, and whoever waits for that thread gives it up some
// day (see choose/limited_work.hpp). It must then neither go on nor unwind: messages that are under way still
// write into its buffers, neighbours still store into its windows. So it comes to rest for good where it
// next polls, with everything that it has made still there. What keeps it from polling, such as a kernel
// that waits for a flag or a call inside a library, is ended by whoever gave it up.
//
//   thread that works                              thread that gives it up
//
//   GiveUp::Scope scope(give_up);
//   EndWaiting end([] { ... });     ◄── calls ──   give_up->ask();
//   Patience().pause();             rests here     give_up->rests_within(0.5);
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace spmv {

/// Whether a thread's work was given up, and what that takes.
class GiveUp {
 public:
  /// While it lives, the calling thread's work can be given up. One at a time.
  class Scope {
   public:
    explicit Scope(std::shared_ptr<GiveUp> give_up);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  /// Gives the work up: ends, in the calling thread, what its thread waits for. Local, once.
  void ask();
  /// Whether the thread has come to rest, at the latest in so many seconds. Local.
  bool rests_within(double seconds);
  /// Never returns where the calling thread's work was given up. Local.
  static void rest_if_asked();

 private:
  friend class EndWaiting;
  [[noreturn]] void rest();

  std::atomic<bool> asked_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rests_ = false;
  std::list<std::function<void()>> ends_;
};

/// What ends, without other ranks, a wait of the calling thread's work that does not poll: a kernel's wait
/// for a flag, a call inside a library. Owned by what waits. Does nothing in a thread whose work cannot be
/// given up.
class EndWaiting {
 public:
  /// `end` is called in another thread, at most once and never after this object's end; it must not wait for
  /// the thread whose work is given up.
  explicit EndWaiting(std::function<void()> end);
  ~EndWaiting();
  EndWaiting(const EndWaiting&) = delete;
  EndWaiting& operator=(const EndWaiting&) = delete;

 private:
  std::shared_ptr<GiveUp> give_up_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace spmv
