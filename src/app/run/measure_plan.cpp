#include "app/run/measure_plan.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "app/launch/transport_child.hpp"
#include "app/report/version.hpp"
#include "app/run/measure.hpp"
#include "app/run/prepared.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/transport_turns.hpp"
#include "app/run/vectors.hpp"
#include "app/run/verify.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/format_choices.hpp"
#include "dist/modes.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {
namespace {

DistOptions dist_options(const Run& run, double tuning_bandwidth) {
  DistOptions options;
  options.format = run.options.format;
  options.nonlocal_format = nonlocal_format(run.options);
  options.transport.clear();  // each is set up in its turn
  options.tune = tune_request(run.options, tuning_bandwidth);
  options.comm_core = run.place.cores.comm_core;
  return options;
}

/// Empty where the user named the format. Collective.
FormatChoices format_choices(const Run& run) {
  if (!run.automatic_format()) return {};
  const std::string device = cache_device(*run.place.backend, run.place.threads, program_version());
  const auto warn = [](const std::string& sentence) { say("warning: " + sentence); };
  return {run.communicator, TuningCache(run.options.tune_cache, device, warn), run.options.products};
}

/// How transports are tried before one of them moves the halo.
TransportRequest transport_request(const Run& run) {
  TransportRequest request;
  request.child_command = {"/proc/self/exe", transport_child_command};
  // Who names several transports wants to know of each.
  if (run.options.transports.size() == 1) request.products = run.options.products;
  const double timeout = run.options.timeout;
  constexpr double least_s = 1;  // a busy machine may need as long for an exchange of nothing
  if (timeout > 0) request.limit_s = std::min(request.limit_s, std::max(least_s, timeout / 10));
  request.announce = [&watchdog = run.watchdog](const std::string& trial, double at_most_s) {
    watchdog.stage(trial, {.beyond_timeout = at_most_s, .quiet = true});
  };
  request.earlier_trials = std::make_shared<std::vector<TransportReport>>();  // of all choices of this run
  return request;
}

/// One mode over the transport that moves the matrix's halo: verified, measured, verified again. Collective.
template <class T>
ModeResult run_mode(const Run& run, Prepared<T>& prepared, const Measurement& measurement,
                    const Problem<T>& problem) {
  const Mode<T>& mode = pick(modes<T>(), measurement.mode, "mode");
  ModeResult result;
  result.mode = mode.name;
  result.layout = measurement.layout;
  result.transport = prepared.matrix().transport_choice().name;
  result.chosen = measurement.transport == auto_transport;
  result.comm_thread = uses_comm_thread(mode, measurement.layout);
  place_threads(run.place, result.comm_thread);
  result.compute_threads = omp_get_max_threads();
  run.watchdog.stage(fmt::format("verifying mode {}", mode.name));
  const auto check = [&](OldData old_data) {
    if (run.options.verify) verify(run.communicator, prepared.product(), mode, problem, old_data, result);
  };
  check(OldData::poisoned);
  if (result.verified && result.rows_wrong == 0) result.first_right_s = seconds_since_process_start();
  measure(run, prepared.product(), mode, result);
  check(OldData::kept);
  constexpr double shortest_to_rate = 1e-7;
  if (result.median_s >= shortest_to_rate && problem.nonzeros > 0) {
    const double flops = static_cast<double>(problem.nonzeros) * ValueTraits<T>::flops_per_nonzero;
    result.gflops = flops / result.median_s * 1e-9;
    const double bytes =
        effective_bytes(static_cast<double>(problem.shape.rows),
                        static_cast<double>(std::min(problem.shape.cols, problem.nonzeros)),  // read at most
                        static_cast<double>(problem.nonzeros), sizeof(T));
    result.gbytes_per_s = bytes / result.median_s * 1e-9;
  }
  return result;
}

/// Why these measurements are not made, in a layout that cannot be built: said once for each mode.
std::vector<LeftOut> left_out_with_layout(const Plan& measurements, const std::string& reason) {
  std::vector<LeftOut> left;
  for (const Measurement& m : measurements)
    if (left.empty() || left.back().mode != m.mode) left.push_back({m.mode, "", reason, m.layout});
  return left;
}

}  // namespace

template <class T>
void measure_plan(const Run& run, Plan plan, const Problem<T>& problem, double tuning_bandwidth,
                  Recorder& recorder) {
  DistOptions options = dist_options(run, tuning_bandwidth);
  FormatChoices formats = format_choices(run);
  options.tune.calibration = formats.calibration();
  TransportTurns turns(transport_request(run));
  std::vector<LeftOut> left_out;
  bool measured = false;
  const auto leave_out = [&](const LeftOut& left) {
    if (std::find(left_out.begin(), left_out.end(), left) != left_out.end()) return;
    left_out.push_back(left);
    recorder.left_out(left);
  };
  for (const std::string& layout : layouts_of(plan)) {
    run.watchdog.stage(fmt::format("building the matrix in layout {}", layout));
    StageTimer timer(run.communicator);
    options.layout = layout;
    options.remembered = formats.remembered();
    std::unique_ptr<Prepared<T>> prepared;
    try {
      prepared = std::make_unique<Prepared<T>>(run, problem, options);
    } catch (const AgreedError& error) {
      if (!can_do_without(plan, layout)) throw;
      for (const LeftOut& left : left_out_with_layout(measured_in(plan, layout), error.what()))
        leave_out(left);
      plan = without(plan, layout);
      continue;
    }
    recorder.built(problem, prepared->matrix(), timer.lap());
    formats.keep(run.communicator, prepared->matrix().operators().blocks().front()->decision);

    const Measurement* before = nullptr;  // for which the halo's transport was set up
    const Plan here = measured_in(plan, layout);
    for (const Measurement& measurement : here) {
      if (before == nullptr || !same_transport(*before, measurement)) {
        run.watchdog.stage(
            fmt::format("setting up transport {} for mode {}", measurement.transport, measurement.mode),
            {.quiet = true});
        timer.lap();
        const std::optional<LeftOut> left =
            turns.set_up(measurement, [&](const std::string& name, const TransportRequest& request) {
              before = nullptr;
              prepared->use_transport(name, measurement.needs_queued_exchange, request);
              return prepared->matrix().transport_choice();
            });
        if (left) {
          leave_out(*left);
          continue;
        }
        before = &measurement;
        recorder.set_up(measurement, turns.choice(measurement.needs_queued_exchange), timer.lap());
      }
      const ModeResult result = run_mode(run, *prepared, measurement, problem);
      recorder.measured(measurement, result);
      if (!measured)
        write_y(run, prepared->product(), pick(modes<T>(), measurement.mode, "mode"), problem, result);
      measured = true;
    }
  }
  if (!measured) throw AgreedError(ExitCode::environment, why_nothing_was_measured(left_out));
}

SPMV_INSTANTIATE(measure_plan);

}  // namespace spmv
