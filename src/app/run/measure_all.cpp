#include "app/run/measure_all.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/run/measure.hpp"
#include "app/run/placed_matrix.hpp"
#include "app/run/prepared.hpp"
#include "app/run/run_transports.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/take_turns.hpp"
#include "core/machine_memory.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

/// A user who names several transports wants the times of each.
TransportRequest halo_request(const Run& run) {
  TransportRequest request = transport_request(run, std::make_shared<std::vector<TransportReport>>());
  if (run.options.transports.size() == 1) request.products = run.options.products;
  return request;
}

/// The measurements in a layout that cannot be built, one for each mode.
std::vector<LeftOut> left_out_with_layout(const Measurements& measurements, const std::string& reason) {
  std::vector<LeftOut> left;
  for (const Measurement& m : measurements)
    if (left.empty() || left.back().mode != m.mode) left.push_back({m.mode, "", reason, m.layout});
  return left;
}

/// Whether this rank has memory for another matrix like this one beside it: three times its size, because building takes
/// memory, too.
template <class T>
bool has_room(const Run& run, const Prepared<T>& like) {
  constexpr double room = 3;
  const double wanted = room * like.bytes();
  return wanted < static_cast<double>(run.place.backend->memory().free_bytes) &&
         wanted < static_cast<double>(process_memory(run.communicator.node().size()).free_bytes);
}

/// Measures all of them: for one transport after another, all modes in turns, in the layouts that fit into memory together.
template <class T>
class MeasureAll {
 public:
  MeasureAll(const Run& run, Measurements measurements, const Problem<T>& problem, double tuning_bandwidth,
             Recorder& recorder)
      : run_(run),
        measurements_(std::move(measurements)),
        problem_(problem),
        builder_(matrix_builder<T>(run, tuning_bandwidth, false)),
        transports_(halo_request(run)),
        recorder_(recorder) {}

  /// Collective; throws AgreedError.
  void measure() {
    for (const std::string& layout : layouts_of(measurements_))
      // Before the next layout is built, so that the first product that is verified does not wait for it.
      if (build(layout)) begin_series(*held_.back(), run_.options.transports.front());
    measure_held();
    if (!measured_) throw AgreedError(ExitCode::environment, why_nothing_was_measured(left_out_));
  }

 private:
  /// Builds the matrix in this layout: beside those that are held or, if there is not enough memory, after they have been
  /// measured and freed. Returns false if the layout is left out.
  bool build(const std::string& layout) {
    const bool room = held_.empty() || run_.communicator.all_of(has_room(run_, *held_.back()));
    if (!room) measure_held();
    if (!held_.empty() && try_to_hold(layout) == nullptr) return true;
    measure_held();  // it may fit alone
    const std::exception_ptr failure = try_to_hold(layout);
    if (failure != nullptr) leave_out_layout(layout, failure);
    return failure == nullptr;
  }

  /// Returns nullptr, or why the layout cannot be built now.
  std::exception_ptr try_to_hold(const std::string& layout) {
    try {
      hold(layout);
      return nullptr;
    } catch (const AgreedError&) {
      return std::current_exception();
    }
  }

  void hold(const std::string& layout) {
    run_.watchdog.stage(fmt::format("building the matrix in layout {}", layout));
    StageTimer timer(run_.communicator);
    held_.push_back(std::make_unique<Prepared<T>>(run_, problem_, builder_.build(problem_.rows, layout)));
    recorder_.built(held_.back()->matrix(), timer.lap());
  }

  /// Throws the reason again if a mode has no other layout.
  void leave_out_layout(const std::string& layout, const std::exception_ptr& reason) {
    if (!can_do_without(measurements_, layout)) std::rethrow_exception(reason);
    try {
      std::rethrow_exception(reason);
    } catch (const AgreedError& error) {
      for (const LeftOut& left : left_out_with_layout(measured_in(measurements_, layout), error.what()))
        leave_out(left);
    }
    measurements_ = without(measurements_, layout);
  }

  void leave_out(const LeftOut& left) {
    if (std::find(left_out_.begin(), left_out_.end(), left) != left_out_.end()) return;
    left_out_.push_back(left);
    recorder_.left_out(left);
  }

  /// Measures what is to be measured in the layouts that are held, and frees them.
  void measure_held() {
    if (held_.empty()) return;
    std::vector<std::string> layouts;
    for (const auto& prepared : held_) layouts.push_back(prepared->matrix().layout());
    recorder_.measured_together(layouts);
    for (const std::string& transport : run_.options.transports) {
      if (transport != run_.options.transports.front())
        for (const auto& prepared : held_) begin_series(*prepared, transport);
      measure_series();
    }
    held_.clear();
  }

  /// Sets up a transport for a matrix, and runs the first products of all modes that are measured over it.
  void begin_series(Prepared<T>& prepared, const std::string& transport) {
    std::array<bool, 2> is_set_up{};  // by whether a queued exchange is needed
    for (const Measurement& measurement : measured_in(measurements_, prepared.matrix().layout())) {
      if (measurement.transport != transport) continue;
      bool& ready = is_set_up[measurement.needs_queued_exchange ? 1 : 0];
      ready = ready || set_up(prepared, measurement);
      if (ready) series_.push_back(std::make_unique<Series<T>>(run_, prepared, measurement, problem_));
    }
  }

  /// Measures all series that were begun, in turns.
  void measure_series() {
    take_turns(series_, [&](int round) {
      constexpr int often =
          16;  // in a long measurement, computing all results takes too long to do it each round
      if (round > often && round % often != 0) return;
      for (const auto& each : series_) recorder_.measured(each->measurement(), each->result());
    });
    for (const auto& each : series_) {
      each->finish();
      recorder_.measured(each->measurement(), each->result());
    }
    if (!measured_ && !series_.empty()) series_.front()->write_product();
    measured_ = measured_ || !series_.empty();
    series_.clear();
    for (const auto& prepared : held_) prepared->drop_transports();
  }

  /// Returns whether the transport of this measurement could be set up.
  bool set_up(Prepared<T>& prepared, const Measurement& measurement) {
    run_.watchdog.stage(
        fmt::format("setting up transport {} for mode {}", measurement.transport, measurement.mode),
        {.quiet = true});
    StageTimer timer(run_.communicator);
    const std::optional<LeftOut> left =
        transports_.set_up(measurement, [&](const std::string& name, const TransportRequest& request) {
          prepared.use_transport(name, measurement.needs_queued_exchange, request);
          return prepared.matrix().transport_choice();
        });
    if (left) {
      leave_out(*left);
      return false;
    }
    recorder_.set_up(measurement, transports_.choice(measurement.needs_queued_exchange), timer.lap());
    recorder_.describe(problem_, prepared.matrix());
    return true;
  }

  const Run& run_;
  Measurements measurements_;
  const Problem<T>& problem_;
  MatrixBuilder<T> builder_;
  RunTransports transports_;
  Recorder& recorder_;
  std::vector<LeftOut> left_out_;
  std::vector<std::unique_ptr<Prepared<T>>> held_;
  std::vector<std::unique_ptr<Series<T>>> series_;  // of the matrices in held_
  bool measured_ = false;
};

}  // namespace

template <class T>
void measure_all(const Run& run, Measurements measurements, const Problem<T>& problem,
                 double tuning_bandwidth, Recorder& recorder) {
  MeasureAll<T>(run, std::move(measurements), problem, tuning_bandwidth, recorder).measure();
}

SPMV_INSTANTIATE(measure_all);

}  // namespace spmv
