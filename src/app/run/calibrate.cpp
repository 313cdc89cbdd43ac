#include "app/run/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/report/version.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "kernels/tune/calibration.hpp"

namespace spmv {
namespace {

/// Copy bandwidths of a rank for working sets of several sizes, all ranks at once.
class Bandwidths {
 public:
  /// Collective.
  Bandwidths(const Communicator& communicator, Backend& backend) {
    for (const double size : {16.0, 32.0, 64.0, 128.0}) {
      const double working_set = size * (1 << 20);
      const Bandwidth mine = measure_bandwidth(communicator, backend, working_set);
      measured_.emplace_back(working_set, tuning_bandwidth(communicator, backend, mine));
    }
  }
  /// That of the size nearest to `working_set`. Local.
  double operator()(double working_set) const {
    const auto distance = [&](double size) { return std::abs(std::log(size / working_set)); };
    return std::min_element(
               measured_.begin(), measured_.end(),
               [&](const auto& a, const auto& b) { return distance(a.first) < distance(b.first); })
        ->second;
  }

 private:
  std::vector<std::pair<double, double>> measured_;
};

std::string table(const Calibration& calibration) {
  std::string text = fmt::format("{:<16}{:>10}{:>14}{:>13}{:>11}{:>8}{:>14}{:>13}{:>14}{:>9}\n", "format",
                                 "streaming", "iteration ns", "fast ns", "uneven ns", "row ns",
                                 "scattered ns", "build ns/nnz", "build ns/row", "sort ns");
  for (const auto& [format, s] : calibration)
    text +=
        fmt::format("{:<16}{:>10.2f}{:>14.3f}{:>13.3f}{:>11.3f}{:>8.3f}{:>14.3f}{:>13.2f}{:>14.2f}{:>9.2f}\n",
                    format, s.streaming, s.iteration_ns, s.fast_ns, s.uneven_ns, s.row_ns, s.scattered_ns,
                    s.build_ns, s.build_row_ns, s.sort_ns);
  return text;
}

}  // namespace

std::string calibrate_machine(const Run& run) {
  const Communicator& communicator = run.communicator;
  const std::string& path = run.options.tune_cache;
  if (path.empty())
    throw AgreedError(
        ExitCode::usage,
        "calibrate has no file to write: name one by --tune-cache, or set HOME or XDG_CACHE_HOME to an absolute path");
  std::string reason = "it cannot be written";
  const TuningCache cache(path, cache_device(*run.place.backend, run.place.threads, program_version()),
                          [&reason](const std::string& sentence) { reason = sentence; });
  place_threads(run.place, false);
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  const Bandwidths bandwidths(communicator, *run.place.backend);
  run.watchdog.stage("measuring formats");
  const Calibration calibration = communicator.together([&] {
    return calibrate(run.place.backend, [&](double working_set) { return bandwidths(working_set); });
  });
  run.watchdog.stage("writing the calibration", {.quiet = true});
  cache.remember(communicator, calibration);
  // The cache never fails by itself, but who asks for a calibration must know whether it is kept.
  const bool kept = cache.remembered(communicator).calibration != nullptr;
  communicator.together([&] {
    if (!kept)
      throw Error(ExitCode::environment, fmt::format("the calibration is not kept in {}: {}", path, reason));
  });
  return fmt::format("calibrated   {}\nkept in      {}\n{}",
                     cache_device(*run.place.backend, run.place.threads, program_version()), path,
                     table(calibration));
}

}  // namespace spmv
