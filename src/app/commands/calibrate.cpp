// spmv_dist calibrate: how fast formats are on this machine.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_groups.hpp"
#include "app/report/version.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "kernels/tune/calibration.hpp"

namespace spmv {
namespace {

struct CalibrateOptions {
  std::string backend = "auto";
  std::string tune_cache;  // the file to write; empty: none
  double timeout = default_timeout;

  void declare(CLI::App& app) {
    declare_backend(app, backend);
    declare_tune_cache(app, tune_cache);
    declare_timeout(app, timeout);
  }
  NamedFiles files() const { return {{"--tune-cache", tune_cache, FileUse::cache}}; }
};

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

/// Measures how fast every format is on the device of every rank, all ranks at once, and keeps it in the tuning
/// cache. Collective; throws AgreedError where there is no such file, or it cannot be written.
ExitCode run_calibrate(const Session& session, const CalibrateOptions& options) {
  const Communicator& communicator = session.communicator;
  const Place place = prepare_machine(communicator, options.backend);
  const std::string& path = options.tune_cache;
  if (path.empty())
    throw AgreedError(
        ExitCode::usage,
        "calibrate has no file to write: name one by --tune-cache, or set HOME or XDG_CACHE_HOME to an absolute path");
  std::string reason = "it cannot be written";
  const std::string device = cache_device(*place.backend, place.threads, program_version());
  const TuningCache cache(path, device, [&reason](const std::string& sentence) { reason = sentence; });
  place_threads(place, false);
  session.watchdog.stage("measuring bandwidths", {.quiet = true});
  const Bandwidths bandwidths(communicator, *place.backend);
  session.watchdog.stage("measuring formats");
  const Calibration calibration = communicator.together(
      [&] { return calibrate(place.backend, [&](double working_set) { return bandwidths(working_set); }); });
  session.watchdog.stage("writing the calibration", {.quiet = true});
  cache.remember(communicator, calibration);
  // The cache reports no error by itself, but the user of this command must know whether the calibration is kept.
  const bool kept = cache.remembered(communicator).calibration != nullptr;
  communicator.together([&] {
    if (!kept)
      throw Error(ExitCode::environment, fmt::format("the calibration is not kept in {}: {}", path, reason));
  });
  session.print(fmt::format("calibrated   {}\nkept in      {}\n{}", device, path, table(calibration)));
  return ExitCode::ok;
}

}  // namespace

std::unique_ptr<Command> declare_calibrate(CLI::App& app) {
  return command<CalibrateOptions, run_calibrate>(app);
}

}  // namespace spmv
