#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spmv {

/// Wall seconds since the kernel has started this process, to 10 ms; everything before main() counts. Local.
double seconds_since_process_start();

/// The most host memory in bytes that this process has had so far: its resident set. Local.
double peak_resident_bytes();

/// One stage of a run.
struct StageRecord {
  std::string name;
  double begin_s = 0;     // since the process started
  double seconds = 0;     // of a stage that came back, all its times together
  double peak_bytes = 0;  // of host memory, from the process's start to the stage's end
};

/// Through which stages a process has gone, and what each of them took; a stage that comes back, as one that takes turns
/// with others, has one record. Not for several threads at once.
class StageLog {
 public:
  /// A stage begins, and the one before is over; or the one under way goes on, if it has the same name. Local.
  void begin(const std::string& name);
  /// All of them, the one under way as if it ended now. Local.
  std::vector<StageRecord> stages() const;

 private:
  std::vector<StageRecord> stages_;  // in the order of their begins
  std::size_t at_ = 0;               // the one under way ...
  double began_s_ = 0;               // ... since
};

}  // namespace spmv
