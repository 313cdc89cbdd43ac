// How fast formats are on a machine that nobody has calibrated: the numbers of paces.json, which is compiled in.
#pragma once

#include <map>
#include <string>

namespace spmv {

/// How fast a format's kernels are where the bandwidth does not decide, and how long it takes to build. Times of an
/// iteration, see Cost. Fitted to measured products by jobs/bench/fit_paces.py; a kernel that memory held up in all of them
/// may be faster than its pace.
struct Pace {
  double iteration_ns = 0;  // of Load::iterations: the whole GPU works at them, or one core of a host
  double fast_ns = 0;       // of Load::fast_iterations; iteration_ns where the file does not say
  double chain_ns = 0;      // of Cost::chain, one after the other in one warp; 0 on a host
  double build_ns = 0;      // of a nonzero, with as many of the host's cores as a build can use
  double sort_ns = 0;       // what sorting adds to build_ns
  double start_ms = 0;      // of any build: memory, and loading the kernels that build
  double cached_speed = 0;  // bandwidth where all data are cached, in multiples of a copy's
};

/// What all formats have in common on one kind of device, and the pace of each.
struct DevicePaces {
  double launch_s = 0;     // what the launch adds to any product
  double cache_bytes = 0;  // a product that moves less finds its data still in the cache at the next one
  double cache_speed = 0;  // the cache's bandwidth, in multiples of Device::bandwidth: no kernel exceeds it
  double reach = 0;  // the best kernel's bandwidth, likewise: a product mostly reads, x and y may be cached
  double build_threads = 0;     // threads of the host beyond which a build gets no faster
  double foreseen_changes = 0;  // of the length of rows: so many a core predicts after some products
  double saved_by_row_before =
      0;  // of an iteration whose columns and elements of x the row before has loaded
  /// Of an iteration, for every column beyond the first of those that are multiplied together: the whole GPU, or one core.
  double column_ns = 0;
  std::map<std::string, Pace> formats = {};
};

/// The built-in numbers of hosts or of GPUs.
const DevicePaces& device_paces(bool runs_host_code);

/// Throws Error(internal) for a format that the file lacks.
const Pace& pace_of(const std::string& format, bool runs_host_code);

}  // namespace spmv
