// Work that may never come back, such as a message through a library that does not deliver it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace spmv {

/// Work in a thread of its own, which its owner may leave behind. Local.
class LimitedWork {
 public:
  explicit LimitedWork(std::function<void()> work);
  /// Waits for the work's end; only after left_behind() it does not.
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

  /// Whether the work has ended, at the latest in so many seconds.
  bool ends_within(double seconds);
  /// What the work threw. It must have ended.
  std::exception_ptr failure() const { return failure_; }

 private:
  friend void leave_behind(std::shared_ptr<LimitedWork> work);
  std::function<void()> work_;
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: starts when everything above is there
};

/// Gives up work that does not end: loops with Patience in its thread end. It is kept, with all that it
/// refers to, until the process ends: nothing that it may still touch is ever released. MPI must not be torn
/// down under a thread that sits in it: when MPI is about to end, such a thread is stopped for good. Should
/// MPI then not end either, the process leaves without it after ten seconds, with exit code 7. Local.
void leave_behind(std::shared_ptr<LimitedWork> work);

}  // namespace spmv
