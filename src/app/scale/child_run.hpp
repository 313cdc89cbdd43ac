// A run in a process of its own, that ends with this one.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace spmv {

/// How a run ended.
struct ChildEnd {
  int code = 0;            // as a shell has it: 128 and the signal's number where a signal has ended it
  bool over_time = false;  // it took longer than its limit, and was ended
};

/// Runs of one process after the other. A signal that is passed on ends the run under way and every later one.
class ChildRuns {
 public:
  /// Starts `words`, without a shell, its output and errors going to a new file `log`, and waits for its end. It gets SIGTERM after `limit_s`
  /// seconds (0: never) and when this process dies, by whatever cause, and SIGKILL where it takes no notice for ten seconds. Throws
  /// Error(environment) where it cannot be started. Local.
  ChildEnd run(const std::vector<std::string>& words, const std::string& log, double limit_s);

  /// Ends the run under way with this signal. From any thread. Local.
  void end_with(int signal);
  /// The signal that was passed on; 0: none. Local.
  int ended_by() const { return ended_by_; }

 private:
  std::atomic<int> ended_by_ = 0;
};

}  // namespace spmv
