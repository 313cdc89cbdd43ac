#pragma once

#include <chrono>

#include "comm/communicator.hpp"

namespace spmv {

/// Wall seconds of a collective stage of the run: the slowest rank's.
class StageTimer {
 public:
  explicit StageTimer(const Communicator& communicator) : communicator_(communicator) {}
  /// Seconds since the last call, or since the timer was made. Collective.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double mine = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return communicator_.max(mine);
  }

 private:
  const Communicator& communicator_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace spmv
