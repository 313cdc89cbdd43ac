#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spmv {

/// How much of a time this process's threads were ready to run and had no core: other processes have it, or there
/// are more threads than cores. What is measured meanwhile is that, and not the product.
class CoreWaiting {
 public:
  /// Begins to look at all threads but those with these ids, of the kernel's: nobody waits for what they do. Local.
  explicit CoreWaiting(const std::vector<int>& idle = {});

  /// Of the time since then the share that the thread waited which waited most, 0 to 1; 0 where the kernel does not
  /// tell. Threads that have begun since count from their begin. Local.
  double share() const;

 private:
  /// Seconds that every thread looked at has waited for a core since it began.
  std::map<std::string, double> waited() const;

  std::set<std::string> idle_;
  std::map<std::string, double> before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace spmv
