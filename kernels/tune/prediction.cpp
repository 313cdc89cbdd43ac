#include "kernels/tune/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/parts/read_once.hpp"
#include "kernels/rows/rows.hpp"

namespace spmv {
namespace {

/// What all kernels of one kind of device have in common.
struct Constants {
  double launch_s;     // what the launch adds to any product
  double cache_bytes;  // a product that moves less finds its data still in the cache at the next one
  double cache_speed;  // the cache's bandwidth, in multiples of Device::bandwidth: what no kernel exceeds
  double reach;  // the best kernel's bandwidth, likewise: x and y may stay in a cache that the rest goes by
  double build_threads;  // threads of the host beyond which a build gets no faster
};

/// On a host: what sorting the rows and moving them adds to a build, of a nonzero.
constexpr double host_sort_ns = 8;
/// On a host: so many places where rows become longer or shorter does a core know by heart, after some products; what comes
/// beyond surprises it. Of 0 to 16,384, by what predictions chose for 15 matrices on two cores of an AMD EPYC and eight of
/// an Intel Xeon: with 4096 a power law of 33,000 rows was taken for half of its time on the latter.
constexpr double known_by_heart = 1024;
/// On a host: what an iteration takes less where the row before has loaded its columns and elements of x. Measured on two
/// cores of an Intel Xeon: blocks of 3 x 3, 4 x 4 and 6 x 6 in its caches.
constexpr double saved_by_reading_before = 0.4;
/// On a host: of any build.
constexpr double host_start_s = 1e-4;

/// Fitted on ten matrices of 1 to 56 million nonzeros on one H100 with 16 cores.
constexpr Constants cuda_constants = {1.5e-6, 40e6, 1.6, 1.2, 8};
/// Fitted on matrices of 1 to 7 million nonzeros on 2 cores of a server. Nothing is assumed of caches: the
/// bandwidth is measured with about as many bytes as the matrix has. A product mostly reads, where a copy also fetches the lines that
/// it writes: csr reads at 1.9 times the rate of a copy on two cores of an AMD EPYC.
constexpr Constants host_constants = {2e-6, 0, 1, 2.5, 8};

/// Of a GPU: bytes of x in sectors that scattered loads touch, beyond the fewest sectors that the elements could lie in.
double scattered_bytes(const Analysis& a) {
  constexpr double sector = sector_bytes;
  const double least = static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes) / sector;
  const double touched = a.gather_sectors * std::max(static_cast<double>(a.iterations(1)), least);
  return sector * std::max(0.0, touched - least);
}

/// On a host: 0 where x is far smaller than a core's first cache, a half where it is as large, 1 where it is far larger.
double distance_from_first_cache(const Analysis& a) {
  constexpr double first_cache_bytes = 32 << 10;  // or a little more, on processors since 2008
  return a.x_bytes() / (a.x_bytes() + first_cache_bytes);
}

double iterations_along_diagonals(const Cost& cost, const Device& device) {
  return device.runs_host_code ? cost.along_diagonals : cost.heads_alone;
}

const Constants& constants_of(const Device& device) {
  return device.runs_host_code ? host_constants : cuda_constants;
}

/// Seconds of the product's bytes at the bandwidth of a copy or, where they stay in the cache, so many times that. What a
/// cache keeps of larger blocks is not told apart: it is in what is measured of a format beyond the cache.
double streaming_seconds(double bytes, const Device& device, double cached_speed) {
  return bytes / (std::max(device.bandwidth, 1.0) * (stays_in_cache(bytes, device) ? cached_speed : 1));
}

/// The least that they can take: whatever the cache keeps of them comes as fast as any kernel can read it.
double least_streaming_seconds(double bytes, const Analysis& a, const Device& device) {
  const Constants& constants = constants_of(device);
  if (stays_in_cache(bytes, device)) return streaming_seconds(bytes, device, constants.cache_speed);
  const double vectors = vector_bytes(a);
  const double matrix = std::max(0.0, bytes - vectors);
  const double kept = share_to_keep(device.cache_bytes, matrix, vectors) * matrix;
  return (bytes - kept + kept / constants.cache_speed) / std::max(device.bandwidth, 1.0);
}

/// Share of the nonzeros whose columns and elements of x are not read again, as the row before has read them.
double read_before(const Pace& pace, const Analysis& a, const Device& device) {
  return device.runs_host_code && pace.as_csr_on_host ? a.alike_share : 0;
}

bool multiplies_by_fours(const Analysis& a) {
  return pays_by_fours({a.x_bytes(), a.mean_length, a.changes_share(), a.near_share, a.complex_values});
}

double moved_bytes(const Pace& pace, const Cost& cost, const Analysis& a, const Device& device) {
  return cost.moved_bytes - read_before(pace, a, device) * static_cast<double>(a.nonzeros) * sizeof(lidx);
}

double start_seconds(const Pace& pace, const Device& device) {
  return device.runs_host_code ? host_start_s : 1e-3 * pace.start_ms;
}

bool does_sort(const Pace& pace, const FormatOptions& options) {
  return pace.sorts == Sorts::yes || (pace.sorts == Sorts::by_sigma && options.sigma > 1) ||
         (pace.sorts == Sorts::by_popularity && options.popular_first);
}

double cores_of(const Device& device) {
  return device.threads > 0 ? device.threads : 1;
}

}  // namespace

bool stays_in_cache(double bytes, const Device& device) {
  return bytes < constants_of(device).cache_bytes;
}

Load load_of(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& a,
             const Device& device) {
  const Constants& constants = constants_of(device);
  const double sharing = device.runs_host_code ? cores_of(device) : 1;
  const double building = std::min(cores_of(device), constants.build_threads);
  Load load;
  load.launch_s = constants.launch_s;
  load.streaming_s = streaming_seconds(moved_bytes(pace, cost, a, device), device, pace.cached_speed);
  const bool by_row = device.runs_host_code && pace.by_row;
  const double iterations = by_row ? static_cast<double>(a.nonzeros) / warp_size : cost.iterations;
  const double fast = by_row ? (pace.as_csr_on_host && multiplies_by_fours(a) ? iterations : 0)
                             : iterations_along_diagonals(cost, device);
  const double share = (1 - saved_by_reading_before * read_before(pace, a, device)) / sharing;
  load.iterations = (iterations - fast) * share;
  load.fast_iterations = fast * share;
  load.uneven = by_row
                    ? std::max(0.0, static_cast<double>(a.changes_of_length) / sharing - known_by_heart)
                    : std::max(0.0, cost.iterations - static_cast<double>(a.nonzeros) / warp_size) / sharing;
  load.rows = a.rows / sharing;
  load.scattered = a.sectors_per_nonzero * static_cast<double>(a.nonzeros);
  if (device.runs_host_code) load.scattered *= distance_from_first_cache(a) / sharing;
  load.build_overhead_s = start_seconds(pace, device);
  load.build_nonzeros = static_cast<double>(a.nonzeros) / building;
  load.build_rows = a.rows / building;
  if (does_sort(pace, options))
    load.sorted = pace.sorts == Sorts::by_popularity ? load.build_nonzeros : load.build_rows;
  return load;
}

double product_seconds(const Speeds& speeds, const Load& load) {
  return load.launch_s + speeds.streaming * load.streaming_s +
         1e-9 * (speeds.iteration_ns * load.iterations + speeds.fast_ns * load.fast_iterations +
                 speeds.uneven_ns * load.uneven + speeds.row_ns * load.rows +
                 speeds.scattered_ns * load.scattered);
}

BlockShape shape_of(const Analysis& a) {
  const auto log_of = [](double number) { return std::log(std::max(number, 1.0)); };
  constexpr double of_a_share = 2, of_log_nonzeros = 0.5;  // what a difference of 1 is worth
  return {log_of(a.mean_length), of_log_nonzeros * log_of(static_cast<double>(a.nonzeros)),
          of_a_share * a.changes_share(), of_a_share * a.sectors_per_nonzero, of_a_share * a.alike_share};
}

double deviation_of(const Speeds& speeds, const BlockShape& shape) {
  // What counts for a factor of 1: so much as a block that is rather unlike.
  constexpr double doubt = 0.1;
  double weights = doubt, logarithms = 0;
  for (const Deviation& known : speeds.deviations) {
    double square = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      square += (shape[i] - known.shape[i]) * (shape[i] - known.shape[i]);
    const double weight = std::exp(-square / 2);
    weights += weight;
    logarithms += weight * std::log(known.factor);
  }
  return std::exp(logarithms / weights);
}

double build_seconds(const Speeds& speeds, const Load& load) {
  return load.build_overhead_s +
         1e-9 * (speeds.build_ns * load.build_nonzeros + speeds.build_row_ns * load.build_rows +
                 speeds.sort_ns * load.sorted);
}

Prediction predict(const Pace& pace, const Cost& cost, const FormatOptions& options, const Analysis& a,
                   const Device& device) {
  const Constants& constants = constants_of(device);
  const Load load = load_of(pace, cost, options, a, device);
  Prediction p;
  p.at_least = constants.launch_s +
               least_streaming_seconds(moved_bytes(pace, cost, a, device), a, device) / constants.reach;
  if (device.runs_host_code) {
    // A format that goes row by row has one pace for all of its iterations; elsewhere fast ones hardly count.
    const double iterations = load.iterations + (pace.by_row ? load.fast_iterations : 0);
    p.seconds = std::max(load.streaming_s, iterations * pace.host_iteration_ns * 1e-9);
  } else {
    const double moving =
        load.streaming_s + scattered_bytes(a) / (std::max(device.bandwidth, 1.0) * constants.cache_speed);
    const double along_diagonals = iterations_along_diagonals(cost, device);
    const double iterating_ps =
        (cost.iterations - along_diagonals) * pace.iteration_ps + along_diagonals * pace.diagonal_ps;
    p.chained = cost.chain * pace.chain_ns * 1e-9;
    p.seconds = std::max({moving, iterating_ps * 1e-12, p.chained});
  }
  p.seconds += constants.launch_s;

  const double sort_ns = device.runs_host_code ? host_sort_ns : pace.sort_ns;
  const double build_ns =
      (device.runs_host_code ? pace.host_build_ns : pace.build_ns) + (does_sort(pace, options) ? sort_ns : 0);
  p.build_s = start_seconds(pace, device) + load.build_nonzeros * build_ns * 1e-9 * constants.build_threads;
  return p;
}

}  // namespace spmv
