// Requests to end: from a batch system at a job's time limit, from a launcher, or by Ctrl-C.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace spmv {

/// "SIGTERM" or "SIGINT". Pure.
const char* end_signal_name(int number);
/// What a shell says of a process that such a signal has ended. Pure.
constexpr int end_signal_code(int number) {
  return 128 + number;
}

/// While it lives, SIGTERM and SIGINT call a function, one at a time, in a separate thread. A signal that is ignored when the
/// process starts (nohup, a shell's background) stays ignored. One object at a time, made and ended by the main thread.
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
