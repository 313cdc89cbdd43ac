#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace spmv {

/// Ends the process with exit code 7 when no step is announced for `timeout` seconds, after saying on stderr
/// which rank was stuck in which step. The launcher then ends the other ranks. A timeout of 0 never ends
/// anything.
class Watchdog {
 public:
  Watchdog(double timeout, int rank);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A new step begins, or the current one (same text) has made progress. Local, any thread.
  void step(const std::string& text);

 private:
  void watch();

  double timeout_;
  int rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string step_ = "starting";
  unsigned long steps_ = 0;
  bool leaving_ = false;
  std::thread thread_;  // last: starts when everything above is there
};

}  // namespace spmv
