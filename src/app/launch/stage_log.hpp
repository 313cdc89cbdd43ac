#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spmv {

/// Wall seconds since the start of this process, to 10 ms; the time before main() counts. Local.
double seconds_since_process_start();

/// The largest resident set of this process so far, in bytes. Local.
double peak_resident_bytes();

/// One stage of a run.
struct StageRecord {
  std::string name;
  double begin_s = 0;     // since the process started
  double seconds = 0;     // of a stage that came back, all its times together
  double peak_bytes = 0;  // of host memory, from the process's start to the stage's end
};

/// The stages of a process and their times. A stage that comes back, as with turns, has one record. For one thread at a
/// time.
class StageLog {
 public:
  /// Ends the current stage and begins another one; nothing if it has the same name. Local.
  void begin(const std::string& name);
  /// All stages, the current one as if it ended now. Local.
  std::vector<StageRecord> stages() const;

 private:
  std::vector<StageRecord> stages_;  // in the order of their begins
  std::size_t at_ = 0;               // the one under way ...
  double began_s_ = 0;               // ... since
};

}  // namespace spmv
