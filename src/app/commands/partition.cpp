// spmv_dist partition: what every partitioner makes of a matrix.
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/report/partitions_report.hpp"
#include "app/run/load.hpp"
#include "app/run/measure_all.hpp"
#include "app/run/measurements.hpp"
#include "app/run/recorder.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/vectors.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

/// With the options of the products that --measure wants, all but a few as they are by default.
struct ComparisonOptions : RunOptions {
  bool measure = false;
  std::string json_file;

  void declare(CLI::App& app) {
    declare_matrix(app, *this);
    declare_backend(app, backend);
    declare_format(app, format);
    declare_seed(app, seed);
    declare_products(app, products);
    app.add_flag("--measure", measure,
                 "build the matrix over every partition, multiply, and look at the results")
        ->group("Measurement");
    declare_max_seconds(app, max_seconds);
    declare_timeout(app, timeout);
    declare_json(app, json_file, "write all of it, with the share of every rank");
  }
  NamedFiles files() const { return {{"the matrix", matrix_file, FileUse::read}, {"--json", json_file}}; }
};

/// What is the same for all partitions of a matrix.
template <class T>
struct Beginning {
  LoadedMatrix<T> loaded;
  Bandwidth bandwidth;
  double tuning_bandwidth = 0;
};

/// Times products over one partition in every mode and reports the fastest. Collective.
template <class T>
void measure_partition(const Run& run, const Beginning<T>& begin, const Assignment& assignment,
                       PartitionOutlook& outlook) {
  StageTimer timer(run.communicator);
  const Problem<T> problem = make_problem(run, begin.loaded, {assignment});
  const double moved_s = timer.lap();
  RunReport report;
  Recorder recorder(run, begin.bandwidth, report);
  measure_all(run, list_measurements(run.options, has_halo(run.communicator, problem.rows)), problem,
              begin.tuning_bandwidth, recorder);
  for (const ModeResult& mode : report.modes) {
    outlook.rows_wrong += mode.rows_wrong;
    if (outlook.measured_s > 0 && mode.median_s >= outlook.measured_s) continue;
    outlook.measured_s = mode.median_s;
    outlook.mode = mode.mode;
    outlook.layout = mode.layout;
  }
  outlook.format = report.format;
  outlook.setup_s = moved_s + report.build_s;
}

template <class T>
PartitionOutlook look_at(const Run& run, bool measure, const Partitioner& partitioner,
                         const Beginning<T>& begin, const PartitionRequest& request) {
  const Communicator& communicator = run.communicator;
  PartitionOutlook outlook;
  outlook.partitioner = partitioner.name;
  run.watchdog.stage(fmt::format("partitioning with {}", partitioner.name));
  StageTimer timer(communicator);
  Assignment assignment;
  try {
    assignment = assign_rows(communicator, partitioner, begin.loaded.owners, begin.loaded.block, request);
  } catch (const AgreedError& error) {
    if (error.code() != ExitCode::environment && error.code() != ExitCode::memory) throw;
    outlook.refused = error.what();
    return outlook;
  }
  outlook.seconds = timer.lap();
  if (!assignment.choice.taken.empty())
    outlook.reason = fmt::format("{}: {}", assignment.choice.taken, assignment.choice.reason);
  const Pattern pattern(begin.loaded.owners, begin.loaded.block.row_ptr, begin.loaded.block.col);
  const int ranks = communicator.size(), per_node = run.communicator.node().size();
  outlook.shares =
      examine(communicator, pattern, assignment, ranks, static_cast<int>(communicator.max(gidx{per_node})));
  outlook.predicted_s = predicted_product(outlook.shares, request.rates);
  if (measure) measure_partition(run, begin, assignment, outlook);
  return outlook;
}

/// Every row and column at the rank that has it now.
Assignment everything_stays(const Communicator& communicator, const Ownership& owners) {
  const int me = communicator.rank();
  Assignment assignment;
  assignment.rows.assign(static_cast<std::size_t>(owners.rows.count(me)), me);
  if (!owners.square()) assignment.cols.assign(static_cast<std::size_t>(owners.cols.count(me)), me);
  return assignment;
}

/// Repeats quick partitions in reverse order and keeps the smaller times, because the time of a quick set-up depends on
/// what ran before it. Collective.
template <class T>
void look_again(const Run& run, const Beginning<T>& begin, const PartitionRequest& request,
                std::vector<PartitionOutlook>& outlooks) {
  constexpr double soon_s = 2;
  for (std::size_t left = outlooks.size(); left > 0; --left) {
    PartitionOutlook& outlook = outlooks[left - 1];
    if (!outlook.refused.empty() || run.communicator.max(outlook.seconds + outlook.setup_s) > soon_s)
      continue;
    keep_least(outlook,
               look_at(run, true, pick(partitioners(), outlook.partitioner, "partitioner"), begin, request));
  }
}

template <class T>
PartitionsReport compare_as(const Run& run, bool measure, const MatrixSource& source) {
  const Communicator& communicator = run.communicator;
  const RunOptions& options = run.options;
  PartitionsReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.ranks = communicator.size();
  report.products = options.products;
  run.results.on_early_end(
      [] { return std::string("partitions were being compared, and nothing is written"); });

  StageTimer timer(communicator);
  Beginning<T> begin{{Ownership::even(source.shape, communicator.size()), {}, {}, {}}, {}};
  LoadedMatrix<T>& loaded = begin.loaded;
  loaded.block = load_with_progress<T>(run, source, loaded.owners.rows);
  report.load_s = timer.lap();
  report.nonzeros = communicator.sum(loaded.block.nonzeros());
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *run.place.backend;
  begin.bandwidth =
      measure_bandwidth(communicator, backend, working_set<T>(report.nonzeros / communicator.size()));
  run.watchdog.stage("measuring exchanges", {.quiet = true});
  const PartitionRequest request{
      .seed = options.seed,
      .products = options.products,
      .rates = product_rates<T>(communicator, run.place.backend, begin.bandwidth,
                                {loaded.owners, loaded.block.row_ptr, loaded.block.col})};
  if (measure) {
    loaded.reference = make_reference(run, loaded.block, loaded.owners.cols, {});
    begin.tuning_bandwidth = tuning_bandwidth(communicator, backend, begin.bandwidth);
    // A measurement that does not count: it loads and sets up what all others share.
    PartitionOutlook once;
    measure_partition(run, begin, everything_stays(communicator, loaded.owners), once);
  } else {
    std::vector<T>().swap(loaded.block.value);  // the pattern is enough
  }
  for (const Partitioner& partitioner : partitioners())
    report.outlooks.push_back(look_at(run, measure, partitioner, begin, request));
  if (measure) look_again(run, begin, request, report.outlooks);
  return report;
}

/// Loads the matrix, asks every partitioner of the table for a partition on these ranks, and, if the user wants it,
/// multiplies over each of them in all modes. Returns wrong_result if a product was wrong. Collective; throws AgreedError.
ExitCode run_partition(const Session& session, const ComparisonOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend, options.modes);
  const Run run{session, place, options};
  const PartitionsReport report = with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return compare_as<typename decltype(tag)::Type>(run, options.measure, source);
  });
  return conclude(session, report, report.wrong() ? ExitCode::wrong_result : ExitCode::ok);
}

}  // namespace

std::unique_ptr<Command> declare_partition(CLI::App& app) {
  return command<ComparisonOptions, run_partition>(app);
}

}  // namespace spmv
