#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spmv {

/// The share of a time in which threads of this process were ready to run and had no core, because of other processes or of
/// more threads than cores. Times of products measured meanwhile contain this waiting.
class CoreWaiting {
 public:
  /// Begins to observe all threads but those with these kernel ids, which are idle. Local.
  explicit CoreWaiting(const std::vector<int>& idle = {});

  /// The share of the time since then, 0 to 1, of the thread that waited longest; 0 if the kernel does not tell. Threads that
  /// began since then count from their begin. Local.
  double share() const;

 private:
  /// Seconds that every observed thread has waited for a core since it began.
  std::map<std::string, double> waited() const;

  std::set<std::string> idle_;
  std::map<std::string, double> before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace spmv
