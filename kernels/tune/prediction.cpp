#include "kernels/tune/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/parts/read_once.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/tune/format_models.hpp"
#include "kernels/tune/paces.hpp"

namespace spmv {
namespace {

/// Everything about one format with these options on one block.
struct Task {
  const FormatModel& model;
  const Pace& pace;
  const DevicePaces& paces;
  const Cost& cost;
  const FormatOptions& options;
  const Analysis& a;
  const Device& device;
};

Task task_of(const std::string& format, const Cost& cost, const FormatOptions& options, const Analysis& a,
             const Device& device) {
  const bool on_host = device.runs_host_code;
  return {model_of(format), pace_of(format, on_host), device_paces(on_host), cost, options, a, device};
}

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

double bytes_per_second(const Device& device) {
  return std::max(device.bandwidth, 1.0);
}

/// Seconds of the product's bytes at the bandwidth of a copy or, where they stay in the cache, so many times that. The part of a
/// larger block that a cache keeps is not modelled: it is in what is measured of a format beyond the cache.
double streaming_seconds(double bytes, const Device& device, double cached_speed) {
  return bytes / (bytes_per_second(device) * (stays_in_cache(bytes, device) ? cached_speed : 1));
}

/// The least that they can take: whatever the cache keeps of them comes as fast as any kernel can read it.
double least_streaming_seconds(double bytes, const Task& task) {
  const DevicePaces& paces = task.paces;
  if (stays_in_cache(bytes, task.device)) return streaming_seconds(bytes, task.device, paces.cache_speed);
  const double vectors = vector_bytes(task.a);
  const double matrix = std::max(0.0, bytes - vectors);
  const double kept = share_to_keep(task.device.cache_bytes, matrix, vectors) * matrix;
  return (bytes - kept + kept / paces.cache_speed) / bytes_per_second(task.device);
}

bool is_host_loop(const Task& task, HostLoop loop) {
  return task.device.runs_host_code && task.model.host_loop == loop;
}

/// Share of the nonzeros whose columns and elements of x are not read again, as the row before has read them.
double read_before(const Task& task) {
  return is_host_loop(task, HostLoop::of_csr) ? task.a.alike_share : 0;
}

double moved_bytes(const Task& task) {
  return task.cost.moved_bytes - read_before(task) * static_cast<double>(task.a.nonzeros) * sizeof(lidx);
}

bool does_sort(Sorts sorts, const FormatOptions& options) {
  return sorts == Sorts::yes || (sorts == Sorts::by_sigma && options.sigma > 1) ||
         (sorts == Sorts::by_popularity && options.popular_first);
}

double cores_of(const Device& device) {
  return device.threads > 0 ? device.threads : 1;
}

/// Iterations, fast ones and uneven ones.
void add_iterations(const Task& task, Load& load) {
  const Analysis& a = task.a;
  const bool on_host = task.device.runs_host_code;
  const double sharing = on_host ? cores_of(task.device) : 1;
  const bool of_csr = is_host_loop(task, HostLoop::of_csr);
  const bool by_row = of_csr || is_host_loop(task, HostLoop::by_row);
  const double full = static_cast<double>(a.nonzeros) / warp_size;
  const double iterations = by_row ? full : task.cost.iterations;
  const double fast = of_csr    ? (multiplies_by_fours(a) ? iterations : 0)
                      : by_row  ? 0
                      : on_host ? task.cost.along_diagonals
                                : task.cost.heads_alone;
  const double share = (1 - task.paces.saved_by_row_before * read_before(task)) / sharing;
  load.iterations = (iterations - fast) * share;
  load.fast_iterations = fast * share;
  load.uneven =
      by_row ? std::max(0.0, static_cast<double>(a.changes_of_length) / sharing - task.paces.foreseen_changes)
             : std::max(0.0, task.cost.iterations - full) / sharing;
  load.rows = a.rows / sharing;
  load.scattered = a.sectors_per_nonzero * static_cast<double>(a.nonzeros);
  if (on_host) load.scattered *= distance_from_first_cache(a) / sharing;
}

Load load_of(const Task& task) {
  Load load;
  load.launch_s = task.paces.launch_s;
  load.streaming_s = streaming_seconds(moved_bytes(task), task.device, task.pace.cached_speed);
  add_iterations(task, load);
  const double building = std::min(cores_of(task.device), task.paces.build_threads);
  load.build_overhead_s = 1e-3 * task.pace.start_ms;
  load.build_nonzeros = static_cast<double>(task.a.nonzeros) / building;
  load.build_rows = task.a.rows / building;
  if (does_sort(task.model.sorts, task.options))
    load.sorted = task.model.sorts == Sorts::by_popularity ? load.build_nonzeros : load.build_rows;
  return load;
}

/// By the built-in paces: what takes longest decides.
Prediction predict_by_pace(const Task& task, const Load& load) {
  const Pace& pace = task.pace;
  Prediction p;
  p.at_least = load.launch_s + least_streaming_seconds(moved_bytes(task), task) / task.paces.reach;
  const double scattered =
      task.device.runs_host_code
          ? 0
          : scattered_bytes(task.a) / (bytes_per_second(task.device) * task.paces.cache_speed);
  const double iterating_ns = load.iterations * pace.iteration_ns + load.fast_iterations * pace.fast_ns;
  p.chained = task.cost.chain * pace.chain_ns * 1e-9;
  p.seconds = load.launch_s + std::max({load.streaming_s + scattered, iterating_ns * 1e-9, p.chained});
  const double build_ns = pace.build_ns + (does_sort(task.model.sorts, task.options) ? pace.sort_ns : 0);
  p.build_s = load.build_overhead_s + load.build_nonzeros * build_ns * 1e-9 * task.paces.build_threads;
  return p;
}

/// Of a product by columns: x and y are copied for each, and y back. A column takes whole lines or sectors of k.
double seconds_of_copies(int k, const Analysis& a, const Device& device) {
  const auto value = static_cast<double>(a.value_bytes);
  const double line = device.runs_host_code ? cache_line_bytes : sector_bytes;
  const double bytes = (a.cols + 2.0 * a.rows) * (value + std::min(k * value, std::max(line, value)));
  const DevicePaces& paces = device_paces(device.runs_host_code);
  constexpr int copies = 3;
  return copies * paces.launch_s + streaming_seconds(bytes, device, paces.cache_speed);
}

/// What is measured of the format on this device, or nullptr.
const Speeds* speeds_of(const Device& device, const std::string& format) {
  if (!device.calibration) return nullptr;
  const auto found = device.calibration->find(format);
  return found == device.calibration->end() ? nullptr : &found->second;
}

}  // namespace

bool stays_in_cache(double bytes, const Device& device) {
  return bytes < device_paces(device.runs_host_code).cache_bytes;
}

Prediction for_columns(const Prediction& one, int k, bool together, const Analysis& a, const Device& device) {
  if (k == 1) return one;
  const DevicePaces& paces = device_paces(device.runs_host_code);
  Prediction all = one;
  if (together) {
    // The loads of the block and the first column's are in `one`.
    const int more = k - 1;
    const double vectors_s = streaming_seconds(k * vector_bytes(a), device, paces.cache_speed) / k;
    const double sharing = device.runs_host_code ? cores_of(device) : 1;
    const double adding_s = 1e-9 * paces.column_ns * static_cast<double>(a.nonzeros) / warp_size / sharing;
    all.seconds += more * std::max(vectors_s, adding_s);
    all.at_least += more * vectors_s / paces.reach;
    return all;
  }
  const double copying_s = seconds_of_copies(k, a, device);
  all.seconds = k * (one.seconds + copying_s);
  all.at_least = k * (one.at_least + copying_s / paces.reach);
  all.chained = k * one.chained;
  return all;
}

Cost for_columns(const Cost& one, int k, bool together, const Analysis& a) {
  Cost all = one;
  all.moved_bytes = together ? one.moved_bytes + (k - 1) * vector_bytes(a) : k * one.moved_bytes;
  return all;
}

double seconds_of_sums(const Analysis& a, const Device& device) {
  const DevicePaces& paces = device_paces(device.runs_host_code);
  const double x_and_y = 2.0 * a.rows * static_cast<double>(a.value_bytes);
  return paces.launch_s + streaming_seconds(x_and_y, device, paces.cache_speed);
}

Load load_of(const std::string& format, const Cost& cost, const FormatOptions& options, const Analysis& a,
             const Device& device) {
  return load_of(task_of(format, cost, options, a, device));
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
  // The weight of a factor of 1: as much as that of a rather different block.
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

Prediction predict(const std::string& format, const Cost& cost, const FormatOptions& options,
                   const Analysis& a, const Device& device) {
  const Task task = task_of(format, cost, options, a, device);
  const Load load = load_of(task);
  Prediction predicted = predict_by_pace(task, load);
  const Speeds* const speeds = speeds_of(device, format);
  if (speeds == nullptr) return predicted;
  // No block of the calibration has very long rows: such rows wait for their own loads.
  predicted.seconds = std::max({predicted.at_least, predicted.chained,
                                product_seconds(*speeds, load) * deviation_of(*speeds, shape_of(a))});
  predicted.build_s = build_seconds(*speeds, load);
  predicted.calibrated = true;
  return predicted;
}

}  // namespace spmv
