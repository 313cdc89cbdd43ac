// How long a product and a conversion take, from the analysis alone: what candidates are ranked by.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/format.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {

/// What tells blocks apart in whose products the same loads take more or less: a difference of 1 in any of these numbers is about
/// as much as in any other.
using BlockShape = std::array<double, 5>;
/// Pure.
BlockShape shape_of(const Analysis& analysis);

/// What products of a made-up block took, in multiples of what the speeds that were fitted to all of them say.
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
  /// On a host, whose caches and branches leave much that no sum of loads explains: predictions go by what blocks of about the
  /// same shape took.
  std::vector<Deviation> deviations{};
};

/// Speeds by the names of formats.
using Calibration = std::map<std::string, Speeds>;

/// What a product runs on.
struct Device {
  bool runs_host_code = true;
  double bandwidth = 0;  // bytes per second of a copy, read and write counted
  int threads = 1;       // of the host, that build formats and, where it is the device, multiply
  std::shared_ptr<const Calibration> calibration = nullptr;  // nullptr: formats go by their paces
  double cache_bytes = 0;                                    // see Backend::cache_bytes()
};

/// What is measured of the format on this device, or nullptr. Pure.
inline const Speeds* speeds_of(const Device& device, const std::string& format) {
  if (!device.calibration) return nullptr;
  const auto found = device.calibration->find(format);
  return found == device.calibration->end() ? nullptr : &found->second;
}

struct Prediction {
  double seconds = 0;   // of one product
  double at_least = 0;  // the same if only its bytes took time, at the best bandwidth that any kernel reaches
  double build_s = 0;   // to build the format from CSR, sorting included
  double chained = 0;   // of one product if only its longest chain of loads took time; 0 on a host
  bool calibrated = false;  // goes by what was measured of the format on this machine, not by its pace
};

/// Whether a product that moves so many bytes finds them in the device's cache at the next one. Never on a host, whose
/// bandwidth is measured with as many bytes as the matrix has. Pure.
bool stays_in_cache(double bytes, const Device& device);

/// `cost` and `pace` are those of one format. Pure.
Prediction predict(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& analysis,
                   const Device& device);

/// What a product and a build have to do, in the units that speeds are of.
struct Load {
  double launch_s = 0;     // in any format
  double streaming_s = 0;  // of the bytes at the bandwidth of a copy
  double iterations = 0;   // of the whole device or, on a host, of one core, but for the fast ones
  /// Likewise: those that the device has a fast way for. On a GPU those of Cost::heads_alone; on a host those along diagonals,
  /// and in csr all iterations of a block for which pays_by_fours().
  double fast_iterations = 0;
  /// Likewise: of the iterations, those that do nothing, as rows are of unlike lengths. On a host, in formats whose rows
  /// follow each other, rows that are of another length than the one before, beyond those that a core knows by heart.
  double uneven = 0;
  double rows = 0;  // likewise
  /// Likewise: different sectors of x of every slice. Each comes from the second cache at best, while lanes that meet in one
  /// sector, or come back to it, hardly wait. On a host times the distance of x from a core's first cache, 0 to 1.
  double scattered = 0;
  double build_overhead_s = 0;
  double build_nonzeros = 0;  // of one of the cores that build
  double build_rows = 0;      // likewise
  double sorted = 0;          // likewise: rows that are sorted or, for popular columns first, columns renamed
};
/// With these options, which say whether rows are sorted. Pure.
Load load_of(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& analysis,
             const Device& device);

double product_seconds(const Speeds& speeds, const Load& load);
/// By what factor products of a block of this shape differ from product_seconds(): the mean of what is known of like ones, the liker
/// the more it counts; 1 where nothing like it is known. Pure.
double deviation_of(const Speeds& speeds, const BlockShape& shape);
double build_seconds(const Speeds& speeds, const Load& load);

/// By what was measured of the format on this device, or else by its pace. Pure.
template <class T>
Prediction predict(const Format<T>& format, const Cost& cost, const FormatOptions& options,
                   const Analysis& analysis, const Device& device) {
  Prediction predicted = predict(format.pace, cost, options, analysis, device);
  const Speeds* const speeds = speeds_of(device, format.name);
  if (speeds == nullptr) return predicted;
  const Load load = load_of(format.pace, cost, options, analysis, device);
  // What is calibrated are blocks without very long rows: those wait for their own loads.
  predicted.seconds = std::max({predicted.at_least, predicted.chained,
                                product_seconds(*speeds, load) * deviation_of(*speeds, shape_of(analysis))});
  predicted.build_s = build_seconds(*speeds, load);
  predicted.calibrated = true;
  return predicted;
}

}  // namespace spmv
