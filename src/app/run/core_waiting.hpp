#pragma once

#include <chrono>
#include <map>
#include <string>

namespace spmv {

/// How much of a time this process's threads were ready to run and had no core: other processes have it, or there
/// are more threads than cores. What is measured meanwhile is that, and not the product.
class CoreWaiting {
 public:
  /// Begins to look. Local.
  CoreWaiting();

  /// Of the time since then the share that the thread waited which waited most, 0 to 1; 0 where the kernel does not
  /// tell. Threads that have begun since count from their begin. Local.
  double share() const;

 private:
  /// Seconds that every thread has waited for a core since it began.
  static std::map<std::string, double> waited();

  std::map<std::string, double> before_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace spmv
