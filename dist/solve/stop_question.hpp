// Asking a caller now and then whether to stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace spmv {

/// Asks so rarely that it costs nothing, at the same steps on all ranks, and agrees on the answer.
class StopQuestion {
 public:
  /// `communicator` must outlive this. Local.
  explicit StopQuestion(const Communicator& communicator) : communicator_(communicator) {}
  /// To be called after every step, or every few steps, with the number of steps done. Returns whether it has called ask(),
  /// and any rank has answered true. Collective at the same steps.
  template <class Ask>
  bool asks_to_stop(std::int64_t steps, const Ask& ask) {
    if (steps < next_) return false;
    const bool mine = ask();
    // Ranks differ in what they measure, so all take the longest.
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    const std::vector<double> agreed =
        communicator_.max(std::vector<double>{mine ? 1.0 : 0.0, elapsed.count()});
    constexpr double every_s = 0.2;
    const double a_step = agreed[1] / static_cast<double>(std::max<std::int64_t>(1, steps));
    // Early steps may be faster than later ones.
    const auto most = static_cast<double>(std::clamp<std::int64_t>(steps, 16, 10000));
    next_ = steps + static_cast<std::int64_t>(std::clamp(every_s / std::max(a_step, 1e-9), 1.0, most));
    return agreed[0] == 1;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Communicator& communicator_;
  Clock::time_point start_ = Clock::now();
  std::int64_t next_ = 1;
};

}  // namespace spmv
