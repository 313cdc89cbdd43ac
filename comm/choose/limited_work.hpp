// Work that may never come back, such as a message through a library that does not deliver it.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "comm/give_up.hpp"

namespace spmv {

/// Work in a thread of its own, which its owner may leave behind. Local.
class LimitedWork {
 public:
  /// Starts the work in its thread at once.
  explicit LimitedWork(std::function<void()> work);
  /// Waits for the work's end. Work that was left behind never comes here: it is kept for good.
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

  /// Waits for the work's end, for so many seconds at most; whether it has ended.
  bool ends_within(double seconds);
  /// What the work threw; nullptr: nothing. It must have ended.
  std::exception_ptr failure() const { return failure_; }

 private:
  friend void leave_behind(std::shared_ptr<LimitedWork> work);
  std::function<void()> work_;
  std::shared_ptr<GiveUp> give_up_ = std::make_shared<GiveUp>();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: starts when everything above is there
};

/// Gives up work that does not end, see give_up.hpp: its thread comes to rest where it next polls. The work
/// is kept, with all that it refers to, until the process ends: nothing that it, MPI, a library or another
/// rank may still touch is ever released. MPI must not be torn down under a thread that sits in it: when MPI
/// is about to end, a thread that has not come to rest by then is stopped by a signal. Should MPI then not
/// end either, the process leaves without it after ten seconds, with exit code 7. Local.
void leave_behind(std::shared_ptr<LimitedWork> work);

}  // namespace spmv
