// Work that was given up, as the thread sees it that does the work.
//
// A thread that waits for other ranks may wait for ever, and whoever waits for that thread gives it up after
// a while (see choose/limited_work.hpp). It must then neither go on nor unwind: messages that are under way
// still write into its buffers, neighbours still store into its windows. So it comes to rest for good where
// it next polls, with everything that it has made still there. What keeps it from polling, such as a kernel
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

/// What a thread that works and the thread that may give its work up share: whether it was given up, and what
/// then has to be ended.
class GiveUp {
 public:
  /// While it lives, the calling thread's work can be given up. One at a time in a thread.
  class Scope {
   public:
    explicit Scope(std::shared_ptr<GiveUp> give_up);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  /// Gives the work up: marks it, and calls every EndWaiting of the thread that works, in the calling thread;
  /// what they throw is dropped. Does not wait for the thread. Local, once.
  void ask();
  /// Waits until the thread has come to rest, for so many seconds at most; whether it has. Local.
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
  std::list<std::function<void()>> ends_;  // of the EndWaitings that live
};

/// How to end, without other ranks, a wait that does not poll: a kernel's wait for a flag, a call inside a
/// library. Made by the thread whose work may be given up, and owned by what waits; does nothing in any other
/// thread.
class EndWaiting {
 public:
  /// GiveUp::ask() calls `end`, in another thread, at most once and never after this object's end; it must
  /// not wait for the thread whose work is given up. Does not return where the work was given up already.
  explicit EndWaiting(std::function<void()> end);
  ~EndWaiting();
  EndWaiting(const EndWaiting&) = delete;
  EndWaiting& operator=(const EndWaiting&) = delete;

 private:
  std::shared_ptr<GiveUp> give_up_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace spmv
