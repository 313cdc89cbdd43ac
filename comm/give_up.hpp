// Work that may never end, such as a message through a library that does not deliver it, and that may be given up.
//
// A thread whose work was given up must neither go on nor unwind: messages under way still write into its buffers,
// neighbours still store into its windows. So it rests for good where it next polls, with everything that it has made.
// What does not poll, such as a kernel that waits for a flag or a call inside a library, is ended by an EndWaiting.
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

  /// Marks the work as given up, and calls every EndWaiting of its thread, in the calling thread; what they throw is
  /// dropped. Does not wait for the thread. Once.
  void give_up();
  /// Waits until the thread rests, for so many seconds at most; whether it does.
  bool rests_within(double seconds);
  /// Never returns where the calling thread's work was given up.
  static void rest_if_given_up();

 private:
  friend class EndWaiting;
  friend void leave_behind(std::shared_ptr<LimitedWork> work);
  struct State;
  std::function<void()> work_;
  std::shared_ptr<State> state_;
  std::thread thread_;  // last: starts when everything above is there
};

/// How to end, without other ranks, a wait that does not poll. Made by the thread whose work may be given up, and owned by
/// what waits; does nothing in any other thread.
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
