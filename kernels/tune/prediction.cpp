#include "kernels/tune/prediction.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace spmv {
namespace {

/// What all kernels of one kind of device have in common.
struct Constants {
  double launch_s;          // of any product
  double cache_bytes;       // what moves less in a product is still in the cache at the next
  double cache_speed;       // of the cache, in bandwidths
  double reach;             // what the best kernel gets of the bandwidth
  double build_threads;     // more of the host's do not build faster
  double sort_ns;           // per nonzero, to sort the rows and move them
  double build_overhead_s;  // of any format
};

/// Fitted on ten matrices of 1 to 56 million nonzeros on one H100 with 16 cores.
constexpr Constants cuda_constants = {1.5e-6, 40e6, 1.6, 1.05, 8, 8, 1e-3};
/// Fitted on matrices of 1 to 7 million nonzeros on 2 cores of a server. Nothing is assumed of caches: the
/// bandwidth is measured with about as many bytes as the matrix has.
constexpr Constants host_constants = {2e-6, 0, 1, 1.5, 8, 8, 1e-4};

enum class Sorts { no, yes, by_sigma, by_popularity };

/// Seconds beyond what the bandwidth explains, fitted like the constants; where even floats kept the memory
/// busy, the least that is known. Table row.
struct Pace {
  const char* format;
  double iteration_ps;       // CUDA: of a warp, all of the device at work
  double chain_ns;           // CUDA: of a warp, one after the other
  double host_iteration_ns;  // host: of 32 lanes, on one core
  double build_ns;           // per nonzero, with build_threads
  Sorts sorts = Sorts::no;
  bool by_row = false;     // host: one row after the other, no lanes to wait for each other
  double diagonal_ps = 0;  // CUDA: of a warp along a diagonal
};

const std::vector<Pace>& paces() {
  static const std::vector<Pace> table = {
      {"csr", 170, 0, 28, 2.3, Sorts::by_popularity},
      {"csr_packed", 170, 0, 28, 8, Sorts::by_popularity},
      {"csr_scalar", 165, 100, 20, 2.3, Sorts::no, true},
      {"csr_vector", 140, 150, 20, 2.3, Sorts::no, true},
      {"spmv4gpu", 140, 100, 30, 2.3, Sorts::no, true},
      {"spmv4gpu_padded", 240, 200, 30, 13, Sorts::no, true},
      {"block", 40, 120, 50, 40},
      {"coo", 240, 500, 30, 14},
      {"ellpack", 90, 200, 34, 2.6},
      {"ellpack_r", 85, 120, 22, 2.6},
      {"hyb", 120, 0, 30, 24},
      {"biell", 90, 100, 28, 10, Sorts::yes},
      {"jad", 90, 120, 22, 3, Sorts::yes},
      {"bijad", 100, 120, 28, 10, Sorts::yes},
      {"pellr", 85, 120, 22, 2.6, Sorts::yes},
      {"pjds", 85, 150, 22, 2.6, Sorts::yes},
      {"sell", 85, 120, 20, 2.6, Sorts::by_sigma},
      {"sell_packed", 125, 200, 38, 3.5, Sorts::by_sigma, false, 32},
      {"sell_blocked", 60, 500, 44, 22, Sorts::by_sigma},
      {"cusparse_csr", 200, 0, 28, 2.6},
      {"cusparse_sell", 140, 0, 20, 10},
      {"cusparse_bsr", 170, 0, 44, 22},
  };
  return table;
}

const Pace& pace_of(const std::string& format) {
  const auto found =
      std::find_if(paces().begin(), paces().end(), [&](const Pace& pace) { return format == pace.format; });
  return found != paces().end() ? *found : paces().front();
}

/// Bytes of x beyond one load of every element's own: sectors that bring neighbours nobody asked for.
double scattered_bytes(const Analysis& a) {
  constexpr double sector = 32;
  const double least = static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes) / sector;
  const double touched = a.gather_sectors * std::max(static_cast<double>(a.iterations(1)), least);
  return sector * std::max(0.0, touched - least);
}

}  // namespace

Prediction predict(const std::string& format, const Cost& cost, const FormatOptions& options,
                   const Analysis& a, const Device& device) {
  const Pace& pace = pace_of(format);
  const Constants& constants = device.runs_host_code ? host_constants : cuda_constants;
  const double bandwidth = std::max(device.bandwidth, 1.0);
  const double speed = bandwidth * (cost.moved_bytes < constants.cache_bytes ? constants.cache_speed : 1);
  const double cores = device.threads > 0 ? device.threads : 1;

  Prediction p;
  double moving = cost.moved_bytes / speed;
  p.at_least = constants.launch_s + moving / constants.reach;
  if (device.runs_host_code) {
    const double iterations = pace.by_row ? static_cast<double>(a.nonzeros) / warp_rows : cost.iterations;
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
