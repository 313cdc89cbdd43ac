#include "kernels/tune/prediction.hpp"

#include <algorithm>

namespace spmv {
namespace {

/// What all kernels of one kind of device have in common.
struct Constants {
  double launch_s;          // what the launch adds to any product
  double cache_bytes;       // a product that moves less finds its data still in the cache at the next one
  double cache_speed;       // the cache's bandwidth, in multiples of Device::bandwidth
  double reach;             // the best kernel's bandwidth, likewise
  double build_threads;     // threads of the host beyond which a build gets no faster
  double sort_ns;           // per nonzero, to sort the rows and move them
  double build_overhead_s;  // of building any format
};

/// Fitted on ten matrices of 1 to 56 million nonzeros on one H100 with 16 cores.
constexpr Constants cuda_constants = {1.5e-6, 40e6, 1.6, 1.05, 8, 8, 1e-3};
/// Fitted on matrices of 1 to 7 million nonzeros on 2 cores of a server. Nothing is assumed of caches: the
/// bandwidth is measured with about as many bytes as the matrix has.
constexpr Constants host_constants = {2e-6, 0, 1, 1.5, 8, 8, 1e-4};

/// Bytes of x in sectors that scattered loads touch, beyond the fewest sectors that the elements could lie
/// in.
double scattered_bytes(const Analysis& a) {
  constexpr double sector = sector_bytes;
  const double least = static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes) / sector;
  const double touched = a.gather_sectors * std::max(static_cast<double>(a.iterations(1)), least);
  return sector * std::max(0.0, touched - least);
}

}  // namespace

Prediction predict(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& a,
                   const Device& device) {
  const Constants& constants = device.runs_host_code ? host_constants : cuda_constants;
  const double bandwidth = std::max(device.bandwidth, 1.0);
  const double speed = bandwidth * (cost.moved_bytes < constants.cache_bytes ? constants.cache_speed : 1);
  const double cores = device.threads > 0 ? device.threads : 1;

  Prediction p;
  double moving = cost.moved_bytes / speed;
  p.at_least = constants.launch_s + moving / constants.reach;
  if (device.runs_host_code) {
    const double iterations = pace.by_row ? static_cast<double>(a.nonzeros) / warp_size : cost.iterations;
    p.seconds = std::max(moving, iterations * pace.host_iteration_ns * 1e-9 / cores);
  } else {
    moving += scattered_bytes(a) / (bandwidth * constants.cache_speed);
    const double iterating_ps = (cost.iterations - cost.along_diagonals) * pace.iteration_ps +
                                cost.along_diagonals * pace.diagonal_ps;
    p.seconds = std::max({moving, iterating_ps * 1e-12, cost.chain * pace.chain_ns * 1e-9});
  }
  p.seconds += constants.launch_s;

  const bool sorts = pace.sorts == Sorts::yes || (pace.sorts == Sorts::by_sigma && options.sigma > 1) ||
                     (pace.sorts == Sorts::by_popularity && options.popular_first);
  const double build_ns = pace.build_ns + (sorts ? constants.sort_ns : 0);
  p.build_s = constants.build_overhead_s + static_cast<double>(a.nonzeros) * build_ns * 1e-9 *
                                               constants.build_threads /
                                               std::min(cores, constants.build_threads);
  return p;
}

}  // namespace spmv
