#include "app/run/pipeline.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/run/collect_pictures.hpp"
#include "app/run/load.hpp"
#include "app/run/measure_plan.hpp"
#include "app/run/plan.hpp"
#include "app/run/problem.hpp"
#include "app/run/recorder.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/vectors.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

/// Refuses a matrix with rows whose sums exceed the value type, because every product would look wrong. Collective.
template <class T>
void require_no_overflow(const Communicator& communicator, const RowBlock<T>& block,
                         const std::array<Reference<T>, distinct_x>& reference) {
  for (const Reference<T>& r : reference) {
    const Overflow mine = find_overflow(r);
    const gidx rows = communicator.sum(mine.rows);
    if (rows == 0) continue;
    const gidx first =
        communicator.min(mine.rows > 0 ? block.first_row + mine.first : std::numeric_limits<gidx>::max());
    throw AgreedError(
        ExitCode::input,
        fmt::format("{} {} a sum of products beyond the range of {}, first row {}: scale the matrix{}", rows,
                    rows == 1 ? "row has" : "rows have", value_name<T>(), first + 1,
                    sizeof(RealOf<T>) == sizeof(float)
                        ? fmt::format(", or take --value {}", is_complex<T> ? "complex_double" : "double")
                        : std::string()));
  }
}

/// Loads the rows and makes their references. Collective.
template <class T>
LoadedMatrix<T> load(const Run& run, const MatrixSource& source, const MatrixCache& cache, StageTimer& timer,
                     RunReport& report) {
  LoadedMatrix<T> loaded{Ownership::even(source.shape, run.communicator.size()), {}, {}, {}};
  loaded.block = cache.load<T>(loaded.owners.rows);
  report.load_s = timer.lap();
  loaded.x = read_x<T>(run, loaded.owners.cols);
  loaded.reference = make_reference(run, loaded.block, loaded.owners.cols, loaded.x);
  require_no_overflow(run.communicator, loaded.block, loaded.reference);
  if (run.options.verify) report.reference_s = timer.lap();
  return loaded;
}

/// What partition auto predicts with; other partitioners need no measurement. Collective.
template <class T>
ProductRates measure_rates(const Run& run, const LoadedMatrix<T>& loaded, const Bandwidth& mine) {
  run.watchdog.stage("measuring exchanges", {.quiet = true});
  if (!run.automatic_partition()) return {};
  return product_rates<T>(run.communicator, run.place.backend, mine,
                          {loaded.owners, loaded.block.row_ptr, loaded.block.col});
}

/// Who gets which row: made by the partitioner, or read where the file or the cache has it. Collective.
template <class T>
Assignment partition(const Run& run, const MatrixSource& source, const MatrixCache& cache,
                     const LoadedMatrix<T>& loaded, const ProductRates& rates, RunReport& report) {
  run.watchdog.stage("partitioning");
  const Partitioner& partitioner = pick(partitioners(), run.options.partition, "partitioner");
  PartitionRequest request{.seed = run.options.seed,
                           .products = run.options.products,
                           .rates = rates,
                           .announce = [&](const std::string& step, double about_s) {
                             run.watchdog.stage(step, {.predicted_s = about_s});
                           }};
  request.ready = ready_partitions(run, source, loaded.owners, request, run.options.partition);
  cache.find(request, loaded.owners, run.automatic_partition() ? "" : run.options.partition);
  Assignment assignment = assign_rows(run.communicator, partitioner, loaded.owners, loaded.block, request);
  if (!assignment.choice.taken.empty()) report.partitioner = assignment.choice.taken;
  cache.keep(assignment, request, loaded.owners, report.partitioner);
  report.partition_choice = assignment.choice;
  report.partition_asked = run.options.partition;
  return assignment;
}

/// Fills in what is known of the matrix before it is loaded.
void describe_problem(RunReport& report, const Run& run, const MatrixSource& source, const char* value) {
  report.matrix = source.name;
  report.description = source.description;
  report.shape = source.shape;
  report.value = value;
  report.load_megabytes = source.megabytes;
  report.boundary_format = nonlocal_format(run.options);
  report.tuning.automatic = run.automatic_format();
  report.tuning.products = run.options.products;
  report.tuning.hint = run.options.hint;
}

template <class T>
RunReport run_as(const Run& run, const MatrixSource& source, RunReport report) {
  describe_problem(report, run, source, value_name<T>());
  run.communicator.together([&] {  // before anything is loaded
    require_usable<T>(run.options.format, *run.place.backend);
    require_usable<T>(nonlocal_format(run.options), *run.place.backend);
  });

  StageTimer timer(run.communicator);
  const MatrixCache cache = open_cache(run, source);
  LoadedMatrix<T> loaded = load<T>(run, source, cache, timer, report);
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *run.place.backend;
  const gidx nonzeros = run.communicator.sum(loaded.block.nonzeros());
  const Bandwidth mine =
      measure_bandwidth(run.communicator, backend, working_set<T>(nonzeros / run.communicator.size()));
  const ProductRates rates = measure_rates(run, loaded, mine);
  timer.lap();
  Assignment assignment = partition(run, source, cache, loaded, rates, report);
  const OrderRequest order{run.options.order, run.options.seed, run.options.products, mine.copy};
  const Problem<T> problem = make_problem(run, std::move(loaded), {std::move(assignment), order});
  report.order = problem.order.decision;
  report.partition_s = timer.lap() - report.order.seconds;

  const bool chooses = run.automatic_format() || nonlocal_format(run.options) == auto_format;
  const double tuning = chooses ? tuning_bandwidth(run.communicator, backend, mine) : 0;

  Recorder recorder(run, mine, report);
  const Plan plan = make_plan(run.options, has_halo(run.communicator, problem.rows));
  measure_plan(run, plan, problem, tuning, recorder);
  report.pictures = collect_pictures(run, problem);
  return report;
}

}  // namespace

RunReport run_pipeline(const Run& run, RunReport begun) {
  return with_matrix(run, run.options, [&](auto tag, const MatrixSource& source) {
    return run_as<typename decltype(tag)::Type>(run, source, std::move(begun));
  });
}

}  // namespace spmv
