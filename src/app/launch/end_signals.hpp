// What a process does that is asked to end: by a batch system at the end of a job's time, by a launcher, or by
// a user's Ctrl-C.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace spmv {

/// While it lives, SIGTERM and SIGINT call a function, one at a time, in a thread of its own. A signal that the process was started to ignore
/// (nohup, a shell's background) goes on being ignored. One object at a time, made and ended by the main thread.
class EndSignals {
 public:
  /// Calls `ends` with the signal's number and name. Throws std::system_error. Local.
  explicit EndSignals(std::function<void(int number, const std::string& name)> ends);
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

 private:
  void wait() const;

  std::function<void(int, const std::string&)> ends_;
  std::thread thread_;  // last: starts when everything above is there
};

}  // namespace spmv
