#include "app/run/run_modes.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "app/launch/trial.hpp"
#include "app/report/matrix_report.hpp"
#include "app/report/version.hpp"
#include "app/run/layout_choice.hpp"
#include "app/run/measure.hpp"
#include "app/run/step_timer.hpp"
#include "app/run/transport_turns.hpp"
#include "core/pick.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/tuning_cache.hpp"

namespace spmv {
namespace {

/// Runs every x once with NaN in place of everything old, and compares row by row. Collective.
template <class T>
void verify(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
            const Problem<T>& problem, bool poisoned, ModeResult& result) {
  for (unsigned step = 0; step < distinct_x; ++step) {
    if (poisoned) product.poison(step);
    product.run(mode, step, nullptr);
    const std::vector<T> y = product.y();
    const Mismatch mismatch = compare(y.data(), problem.reference[step]);
    const gidx wrong = communicator.sum(mismatch.rows_wrong);
    result.verified = true;
    if (wrong <= result.rows_wrong) continue;
    result.rows_wrong = wrong;
    result.worst_ratio = communicator.max(mismatch.worst_ratio);
    const bool mine = mismatch.worst_row >= 0 && mismatch.worst_ratio == result.worst_ratio;
    result.worst_row = communicator.max(
        mine ? problem.rows.original_row[static_cast<std::size_t>(mismatch.worst_row)] : gidx{-1});
  }
}

/// Effective bytes of one product of the whole matrix: every value, column and row length, x and y once.
template <class T>
double effective_bytes(const RunReport& report) {
  const auto rows = static_cast<double>(report.shape.rows);
  return static_cast<double>(report.partition.nonzeros) * (sizeof(T) + sizeof(lidx)) + rows * sizeof(lidx) +
         (rows + static_cast<double>(report.shape.cols)) * sizeof(T);
}

/// A mode of the user's list: the layouts to measure it in, and its result over each of the transports.
template <class T>
struct ModeRun {
  const Mode<T>* mode;
  std::vector<Layout> layouts;
  std::vector<std::optional<ModeResult>> results;

  bool has(Layout layout) const { return std::count(layouts.begin(), layouts.end(), layout) > 0; }
};

/// Whether any rank needs elements of x that another one owns. Collective.
template <class T>
bool has_halo(const Communicator& communicator, const DistributedRows<T>& rows) {
  return communicator.max(gidx{!rows.ghosts.empty()}) == 1;
}

/// Every mode that was named, with nothing measured yet.
template <class T>
std::vector<ModeRun<T>> plan_runs(const Options& options, bool halo) {
  std::vector<ModeRun<T>> runs;
  for (const std::string& name : options.modes) {
    const Mode<T>& mode = pick(modes<T>(), name, "mode");
    runs.push_back({&mode, layouts_to_measure(mode.layouts, options.layout, halo), {}});
    runs.back().results.resize(options.transports.size());
  }
  return runs;
}

/// Each layout that some mode needs, once.
template <class T>
std::vector<Layout> layouts_of(const std::vector<ModeRun<T>>& runs) {
  std::vector<Layout> order;
  for (const ModeRun<T>& run : runs)
    for (const Layout layout : run.layouts)
      if (std::count(order.begin(), order.end(), layout) == 0) order.push_back(layout);
  return order;
}

/// What a user keeps of earlier choices for this rank's device.
TuningCache tuning_cache(const Options& options, const Place& place) {
  return {options.tune_cache, cache_device(*place.backend, place.threads, program_version()),
          [](const std::string& sentence) { fmt::print(stderr, "warning: {}\n", sentence); }};
}

DistOptions dist_options(const Communicator& communicator, const Options& options, const Place& place,
                         Watchdog& watchdog, double tuning_bandwidth) {
  DistOptions wanted;
  wanted.format = options.format;
  wanted.nonlocal_format = options.nonlocal_format.empty() ? options.format : options.nonlocal_format;
  wanted.probe.child_command = {"/proc/self/exe", trial_command};
  if (options.timeout > 0) wanted.probe.limit_s = std::min(wanted.probe.limit_s, options.timeout / 10);
  wanted.probe.announce = [&watchdog](const std::string& step, double at_most_s) {
    watchdog.step(step, at_most_s);
  };
  wanted.probe.known = std::make_shared<std::vector<TransportReport>>();  // every layout has the same halo
  wanted.transport.clear();
  wanted.tune = tune_request(options, tuning_bandwidth);
  wanted.comm_core = place.cores.comm_core;
  if (options.format == auto_format) wanted.known = tuning_cache(options, place).recall(communicator);
  return wanted;
}

/// The matrix in one layout after the other, over one transport after the other.
template <class T>
class Bench {
 public:
  Bench(const Communicator& communicator, const Options& options, const Place& place, Watchdog& watchdog,
        const Problem<T>& problem, DistOptions wanted, RunReport& report)
      : communicator_(communicator),
        options_(options),
        place_(place),
        watchdog_(watchdog),
        problem_(problem),
        wanted_(std::move(wanted)),
        report_(report) {}

  /// Collective; throws AgreedError, and then there is no matrix.
  void build(Layout layout, bool first, const Bandwidth& my_bandwidth) {
    watchdog_.step(fmt::format("building the matrix in layout {}", to_string(layout)));
    StepTimer timer(communicator_);
    release();
    wanted_.layout = layout;
    try {
      matrix_ = std::make_unique<DistMatrix<T>>(communicator_, problem_.rows, wanted_, place_.backend);
      communicator_.together([&] {
        product_ =
            std::make_unique<Product<T>>(*matrix_, problem_.rows.original_col, options_.vectors == "host");
      });
    } catch (const AgreedError&) {
      release();
      throw;
    }
    report_.build_s += timer.lap();
    report_matrix(communicator_, options_, problem_.rows, *matrix_, my_bandwidth, first, report_);
    if (report_.tuning.automatic) keep_choice();
  }

  /// Lets the transport that was named `asked` move the halo for `mode`; false: it cannot. Collective.
  bool use_transport(const std::string& asked, const Mode<T>& mode) {
    const std::pair turn(asked, mode.needs_queued_exchange);
    if (turn == moving_) return true;
    watchdog_.step(fmt::format("setting up transport {} for mode {}", asked, mode.name));
    StepTimer timer(communicator_);
    waiting_.reset();
    moving_ = {};
    wanted_.needs_queued_exchange = mode.needs_queued_exchange;
    if (!take_turn(communicator_, options_, wanted_, asked, mode.name, *matrix_, report_)) return false;
    moving_ = turn;
    waiting_.emplace(watchdog_, [&exchanging = *matrix_] {
      const std::string halo = exchanging.waiting_for();
      return halo.empty() ? "with no halo under way: it waits for its own device or for other ranks" : halo;
    });
    report_.build_s += timer.lap();
    return true;
  }

  /// One mode over the transport that the matrix has: verified, measured, verified. Collective.
  ModeResult run_mode(const Mode<T>& mode) {
    place_threads(place_, uses_comm_thread(mode, matrix_->layout()));
    watchdog_.step(fmt::format("verifying mode {}", mode.name));
    ModeResult before;
    if (options_.verify) verify(communicator_, *product_, mode, problem_, true, before);
    ModeResult result = measure(communicator_, *product_, mode, options_, watchdog_);
    result.transport = matrix_->transport_choice().name;
    result.compute_threads = omp_get_max_threads();
    result.rows_wrong = before.rows_wrong;
    result.worst_ratio = before.worst_ratio;
    result.worst_row = before.worst_row;
    if (options_.verify) verify(communicator_, *product_, mode, problem_, false, result);
    if (result.median_s > 0) {
      result.gflops = static_cast<double>(report_.partition.nonzeros) * ValueTraits<T>::flops_per_nonzero /
                      result.median_s * 1e-9;
      result.gbytes_per_s = effective_bytes<T>(report_) / result.median_s * 1e-9;
    }
    return result;
  }

 private:
  /// Two layouts at once would need twice the memory.
  void release() {
    product_.reset();
    waiting_.reset();
    matrix_.reset();
    moving_ = {};
  }

  /// For later runs, and for the layouts to come: what suits this one's block suits theirs as well, which are
  /// nearly the same. Collective.
  void keep_choice() {
    const Decision& chosen = matrix_->operators().blocks().front()->decision;
    tuning_cache(options_, place_).remember(communicator_, chosen, options_.products);
    wanted_.known.insert(wanted_.known.begin(),
                         {"", chosen.format, chosen.options, chosen.measured_s, options_.products});
  }

  const Communicator& communicator_;
  const Options& options_;
  const Place& place_;
  Watchdog& watchdog_;
  const Problem<T>& problem_;
  DistOptions wanted_;
  RunReport& report_;
  std::unique_ptr<DistMatrix<T>> matrix_;
  std::optional<Watchdog::Detail> waiting_;
  std::unique_ptr<Product<T>> product_;
  std::pair<std::string, bool> moving_;  // the transport as named, and whether it must only queue
};

/// Where every mode that was to be measured in `layout` has another one, takes it from their lists and says
/// why; otherwise false.
template <class T>
bool leave_out(Layout layout, const std::string& reason, std::vector<ModeRun<T>>& runs, RunReport& report) {
  for (const ModeRun<T>& run : runs)
    if (run.has(layout) && run.layouts.size() == 1) return false;
  for (ModeRun<T>& run : runs) {
    if (!run.has(layout)) continue;
    run.layouts.erase(std::find(run.layouts.begin(), run.layouts.end(), layout));
    report.left_out.push_back({run.mode->name, "", reason, to_string(layout)});
  }
  return true;
}

}  // namespace

template <class T>
void run_modes(const Communicator& communicator, const Options& options, const Place& place,
               Watchdog& watchdog, const Problem<T>& problem, const Bandwidth& my_bandwidth,
               double tuning_bandwidth, RunReport& report) {
  std::vector<ModeRun<T>> runs = plan_runs<T>(options, has_halo(communicator, problem.rows));
  Bench<T> bench(communicator, options, place, watchdog, problem,
                 dist_options(communicator, options, place, watchdog, tuning_bandwidth), report);
  bool first = true;  // nothing has been measured yet
  for (const Layout layout : layouts_of(runs)) {
    try {
      bench.build(layout, first, my_bandwidth);
    } catch (const AgreedError& error) {
      if (!leave_out(layout, error.what(), runs, report)) throw;
      continue;
    }
    for (ModeRun<T>& run : runs) {
      if (!run.has(layout)) continue;
      for (std::size_t turn = 0; turn < options.transports.size(); ++turn) {
        const std::string& asked = options.transports[turn];
        if (!bench.use_transport(asked, *run.mode)) continue;
        ModeResult result = bench.run_mode(*run.mode);
        result.chosen = asked == auto_transport;
        std::optional<ModeResult>& kept = run.results[turn];
        kept = kept ? faster_layout(std::move(*kept), std::move(result)) : std::move(result);
        first = false;
      }
    }
  }
  for (ModeRun<T>& run : runs)
    for (std::optional<ModeResult>& result : run.results)
      if (result) report.modes.push_back(std::move(*result));
  require_some_turn(report);
}

template void run_modes(const Communicator&, const Options&, const Place&, Watchdog&, const Problem<float>&,
                        const Bandwidth&, double, RunReport&);
template void run_modes(const Communicator&, const Options&, const Place&, Watchdog&, const Problem<double>&,
                        const Bandwidth&, double, RunReport&);
template void run_modes(const Communicator&, const Options&, const Place&, Watchdog&,
                        const Problem<std::complex<float>>&, const Bandwidth&, double, RunReport&);
template void run_modes(const Communicator&, const Options&, const Place&, Watchdog&,
                        const Problem<std::complex<double>>&, const Bandwidth&, double, RunReport&);

}  // namespace spmv
