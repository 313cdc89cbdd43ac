#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// Choices of format auto that need not be made again: those of earlier runs, from a file, and those of this run, for matrices
/// with nearly the same block, such as other layouts of the same rows.
class FormatChoices {
 public:
  /// Nothing is remembered and nothing is kept: the user has named the format.
  FormatChoices() : cache_({}, {}, {}) {}
  /// Choices are made for so many `products`. Collective.
  FormatChoices(const Communicator& communicator, TuningCache cache, double products);

  const std::vector<RememberedChoice>& remembered() const { return remembered_; }
  /// Of this rank's device; nullptr: none is kept.
  const std::shared_ptr<const Calibration>& calibration() const { return calibration_; }
  /// Remembers a choice for later matrices and later runs. Collective.
  void keep(const Communicator& communicator, const Decision& decision);

 private:
  bool wanted_ = false;
  double products_ = 0;
  TuningCache cache_;
  std::vector<RememberedChoice> remembered_;  // the latest first
  std::shared_ptr<const Calibration> calibration_;
};

}  // namespace spmv
