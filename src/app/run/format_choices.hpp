#pragma once

#include <vector>

#include "app/run/run.hpp"
#include "dist/tuning_cache.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// What format auto need not find out again: choices of earlier runs from the user's file, and this run's own
/// of earlier layouts, which have nearly the same block. Empty, and idle, where the user named the format.
class FormatChoices {
 public:
  /// Collective.
  explicit FormatChoices(const Run& run);
  const std::vector<RememberedChoice>& remembered() const { return remembered_; }
  /// For the layouts to come, and for later runs. Collective.
  void keep(const Decision& decision);

 private:
  const Run& run_;
  TuningCache cache_;
  std::vector<RememberedChoice> remembered_;  // the latest first
};

}  // namespace spmv
