// Work in a thread that its owner can give up, because it may never end: a library may not deliver a message.
//
// Giving up frees nothing. Messages under way still write into the thread's buffers, and neighbours still store into its
// windows. So the thread must neither continue nor unwind: at its next poll it sleeps for good and keeps everything that it
// has made. A wait that does not poll, such as a kernel's for a flag or a call inside a library, is ended by an EndWaiting.
//
//   thread that works                              owner
//
//   EndWaiting end([] { ... });                    LimitedWork work(...);
//   Patience().pause();                            if (!work->ends_within(10)) leave_behind(work);
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace spmv {

/// Work in a thread of its own, which its owner may give up. Local.
class LimitedWork {
 public:
  /// Starts the work in its thread at once.
  explicit LimitedWork(std::function<void()> work);
  /// Waits for the work's end. Work that was left behind is kept for good and never comes here.
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

  /// Waits for the work's end, for so many seconds at most; whether it has ended.
  bool ends_within(double seconds);
  /// What the work threw; nullptr: nothing. It must have ended.
  std::exception_ptr failure() const;

  /// Marks the work as given up. Calls every EndWaiting of the work's thread, from this thread, and ignores their
  /// exceptions. Does not wait for the work's thread. Call it once.
  void give_up();
  /// Waits until the thread rests, for so many seconds at most; whether it does.
  bool rests_within(double seconds);
  /// Never returns if the work of the calling thread was given up.
  static void rest_if_given_up();

 private:
  friend class EndWaiting;
  friend void leave_behind(std::shared_ptr<LimitedWork> work);
  struct State;
  std::function<void()> work_;
  std::shared_ptr<State> state_;
  std::thread thread_;  // last: starts when everything above is there
};

/// Ends a wait that does not poll, without help from other ranks. The thread that does the work makes it, and the object
/// that waits owns it. In a thread without such work it does nothing.
class EndWaiting {
 public:
  /// LimitedWork::give_up() calls `end`, in another thread, at most once and never after this object's end; it must
  /// not wait for the thread whose work is given up. Does not return where the work was given up already.
  explicit EndWaiting(std::function<void()> end);
  ~EndWaiting();
  EndWaiting(const EndWaiting&) = delete;
  EndWaiting& operator=(const EndWaiting&) = delete;

 private:
  std::shared_ptr<LimitedWork::State> state_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace spmv
