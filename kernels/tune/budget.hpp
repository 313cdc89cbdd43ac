// The seconds that the trials of a search may take, have taken, and are going to take.
#pragma once

#include <algorithm>

#include "kernels/tune/trials.hpp"

namespace spmv {

class Budget {
 public:
  explicit Budget(const SearchRequest& request) {
    const bool on_host = request.runs_host_code;
    if (request.products > 1 && request.trials)
      total_s_ = (on_host ? tuning_share_on_hosts : tuning_share) * request.products *
                 request.candidates.front().predicted.seconds;
    // A GPU's events need longer batches: shorter ones would measure the events.
    constexpr double least_batch_s = 2e-4, least_batch_on_hosts_s = 2e-5, most_batch_s = 3e-3;
    batch_s_ = std::clamp(total_s_ / 50, on_host ? least_batch_on_hosts_s : least_batch_s, most_batch_s);
  }

  double total_s() const { return total_s_; }
  /// That the products of a batch take together.
  double batch_s() const { return batch_s_; }
  /// On all attempts.
  double spent_s() const { return spent_s_; }
  /// Of the budget: the first build does not count.
  double used_s() const { return spent_s_ - first_build_s_; }
  double left_s() const { return total_s_ - used_s(); }

  /// To measure products of so many seconds.
  double measuring_s(double product_s) const {
    return warm_up_products * product_s + timed_batches * std::max(batch_s_, product_s);
  }
  /// To build it: measured, or else predicted and corrected by what builds have taken so far.
  double building_s(const FormatTrial& trial) const {
    if (trial.build_s > 0) return trial.build_s;
    return trial.predicted.build_s * (predicted_builds_s_ > 0 ? builds_s_ / predicted_builds_s_ : 1);
  }

  /// Takes the seconds of an attempt into account, whose build was predicted to take so many.
  void add(const Attempt& attempt, double predicted_build_s) {
    spent_s_ += attempt.spent_s;
    if (!attempt.refused.empty() || attempt.build_s == 0) return;
    if (builds_s_ == 0) first_build_s_ = std::max(0.0, attempt.spent_s - measuring_s(attempt.measured_s));
    builds_s_ += attempt.build_s;
    predicted_builds_s_ += predicted_build_s;
  }

 private:
  double total_s_ = 0;
  double batch_s_ = 0;
  double spent_s_ = 0;
  double first_build_s_ = 0;  // with all that only a first build takes
  double builds_s_ = 0;
  double predicted_builds_s_ = 0;
};

}  // namespace spmv
