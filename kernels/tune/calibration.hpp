// How fast every format's kernels and builds are on the machine at hand. Predictions use it instead of the built-in paces,
// which were fitted on other machines.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "kernels/tune/prediction.hpp"

namespace spmv {

/// What a format had to do for one block, and how long that took.
struct SpeedSample {
  Load load;
  double product_s = 0;
  double build_s = 0;
  bool chained = false;  // the product waits for the loads of its longest row, and says nothing about speeds
  BlockShape shape{};    // of the block
};

/// Speeds, none below 0, whose predictions are nearest to the samples: the sum of squares of relative differences is
/// least. Pure.
Speeds fit_speeds(const std::vector<SpeedSample>& samples);

/// Of every sample that says something about speeds. Pure.
std::vector<Deviation> deviations_from(const Speeds& speeds, const std::vector<SpeedSample>& samples);

/// Builds and multiplies made-up blocks, regular and irregular ones, in every format that format auto considers,
/// in turns, and fits their speeds. `bandwidth` gives the copy bandwidth of a working set of so many bytes. Takes seconds.
/// Where turns disagree, more follow. Local.
Calibration calibrate(const std::shared_ptr<Backend>& backend,
                      const std::function<double(double working_set)>& bandwidth);

}  // namespace spmv
