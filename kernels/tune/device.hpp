// What products run on, and how fast formats were measured to be there.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spmv {

/// Five numbers by which blocks are compared whose products take more or less time than their loads explain. They are scaled so
/// that a difference of 1 means about the same in each.
using BlockShape = std::array<double, 5>;
/// The time that products of a made-up block took, over the time by the speeds that were fitted to all such blocks.
struct Deviation {
  BlockShape shape{};
  double factor = 1;
};

/// How fast a format is on the machine at hand, measured. A product takes the sum of all that takes time.
struct Speeds {
  double streaming = 0;     // of Load::streaming_s
  double iteration_ns = 0;  // of Load::iterations
  double fast_ns = 0;       // of Load::fast_iterations
  double uneven_ns = 0;     // of Load::uneven
  double row_ns = 0;        // of Load::rows
  double scattered_ns = 0;  // of Load::scattered
  double build_ns = 0;      // of Load::build_nonzeros
  double build_row_ns = 0;  // of Load::build_rows
  double sort_ns = 0;       // of Load::sorted
  /// On a host, whose caches and branch prediction no sum of loads explains: predictions are corrected by what blocks of about
  /// the same shape took.
  std::vector<Deviation> deviations{};
};

/// Speeds by the names of formats.
using Calibration = std::map<std::string, Speeds>;

/// What a product runs on.
struct Device {
  bool runs_host_code = true;
  double bandwidth = 0;  // bytes per second of a copy, read and write counted
  int threads = 1;       // of the host, that build formats and, where it is the device, multiply
  std::shared_ptr<const Calibration> calibration = nullptr;  // nullptr: the built-in paces are used
  double cache_bytes = 0;                                    // see Backend::cache_bytes()
};

}  // namespace spmv
