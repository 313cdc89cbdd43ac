#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "core/backend.hpp"

namespace spmv {

/// Task mode's dedicated host thread [Kreutzer 2012, sect. 3.1]: started once, given one piece of work in
/// every product. MPI does not move messages by itself; this thread sits inside MPI while the others compute.
class CommThread {
 public:
  /// With a core of its own (`core` >= 0, see find_cores) the thread is bound to it and spins there for work;
  /// with -1 it sleeps between products. `backend` is made current in the thread.
  CommThread(std::shared_ptr<Backend> backend, int core);
  /// Waits for the work that was submitted, if any; drops what it threw.
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  /// Hands over one piece of work. The previous one must have been joined. Local.
  void submit(std::function<void()> work);
  /// Returns when the work is done; throws what it threw. Local.
  void join();
  /// As join(), for a caller that has a failure of its own to report: what the work threw is dropped. Local.
  void join_dropping_failure() noexcept;

 private:
  enum State : int { idle, submitted, done, leaving };
  void loop();
  /// Blocks while the state is `unwanted` and returns the new one.
  int await_change(int unwanted) const;

  std::shared_ptr<Backend> backend_;
  int core_;
  std::function<void()> work_;
  std::exception_ptr failure_;
  std::atomic<int> state_{idle};
  std::thread thread_;  // last: starts when everything above is there
};

}  // namespace spmv
