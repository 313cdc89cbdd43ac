// Work in a thread that its owner can abandon, because it may never end: a library may not deliver a message.
//
// Abandoning frees nothing. Messages under way still write into the thread's buffers, and neighbours still store into its
// mailboxes. So the thread must neither continue nor unwind: at its next poll it sleeps for good and keeps everything that it
// has made. A wait that does not poll, such as a kernel's for a flag or a call inside a library, is ended by an OnAbandon.
//
//   thread that works                              owner
//
//   OnAbandon on_abandon([] { ... });              LimitedWork work(...);
//   Patience().pause();                            if (!work->ends_within(10)) abandon(work);
#pragma once

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <thread>

namespace spmv {

/// Work in a thread of its own, which its owner may abandon. Local.
class LimitedWork {
 public:
  /// Starts the work in its thread at once.
  explicit LimitedWork(std::function<void()> work);
  /// Waits for the work's end. Abandoned work is kept for good and never comes here.
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

  /// Waits for the work's end, for so many seconds at most; whether it has ended.
  bool ends_within(double seconds);
  /// What the work threw; nullptr: nothing. It must have ended.
  std::exception_ptr failure() const;

  /// Marks the work as abandoned. Calls every OnAbandon of the work's thread, from this thread, and ignores their
  /// exceptions. Does not wait for the work's thread. Call it once.
  void mark_abandoned();
  /// Waits until the thread has stopped, for so many seconds at most; whether it has.
  bool stops_within(double seconds);
  /// Never returns if the work of the calling thread was abandoned.
  static void stop_if_abandoned();

 private:
  friend class OnAbandon;
  friend void abandon(std::shared_ptr<LimitedWork> work);
  struct State;
  std::function<void()> work_;
  std::shared_ptr<State> state_;
  std::thread thread_;  // last: starts when everything above is there
};

/// Ends a wait that does not poll, without help from other ranks. The thread that does the work makes it, and the object
/// that waits owns it. In a thread without such work it does nothing.
class OnAbandon {
 public:
  /// LimitedWork::mark_abandoned() calls `end`, in another thread, at most once and never after this object's end; it must
  /// not wait for the thread whose work is abandoned. Does not return where the work was abandoned already.
  explicit OnAbandon(std::function<void()> end);
  ~OnAbandon();
  OnAbandon(const OnAbandon&) = delete;
  OnAbandon& operator=(const OnAbandon&) = delete;

 private:
  std::shared_ptr<LimitedWork::State> state_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace spmv
