#include "app/run/pipeline.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/run/collect_pictures.hpp"
#include "app/run/load.hpp"
#include "app/run/matrix_cache.hpp"
#include "app/run/measure_plan.hpp"
#include "app/run/order_rows.hpp"
#include "app/run/place_rows.hpp"
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

/// Refuses rows that no product can compute in this value type: that would look like a wrong result.
/// Collective.
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

/// Where rows go: as the partitioner wants it, by what the file and the cache have of its partitions. Collective.
template <class T>
Moves partition(const Run& run, const MatrixSource& source, const MatrixCache& cache, const Ownership& read,
                const RowBlock<T>& block, const ProductRates& rates, RunReport& report) {
  run.watchdog.stage("partitioning");
  const Partitioner& partitioner = pick(partitioners(), run.options.partition, "partitioner");
  PartitionRequest request{.seed = run.options.seed,
                           .products = run.options.products,
                           .rates = rates,
                           .announce = [&](const std::string& step, double about_s) {
                             run.watchdog.stage(step, {.predicted_s = about_s});
                           }};
  request.ready = ready_partitions(run, source, read, request, run.options.partition);
  cache.find(request, read);
  const Assignment assignment = assign_rows(run.communicator, partitioner, read, block, request);
  cache.keep(assignment, request, read);
  Moves moves = moves_to(run.communicator, read, assignment);
  if (!moves.choice.taken.empty()) report.partitioner = moves.choice.taken;
  report.partition_choice = moves.choice;
  report.partition_asked = run.options.partition;
  return moves;
}

/// Adds to the report what is known of the matrix before anything has been done.
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

  const Ownership read = Ownership::even(source.shape, run.communicator.size());
  StageTimer timer(run.communicator);
  const MatrixCache cache(run, source);
  RowBlock<T> block = cache.load<T>(source, read.rows);
  report.load_s = timer.lap();
  const std::vector<T> x = read_x<T>(run, read.cols);
  auto reference = make_reference(run, block, read.cols, x);
  require_no_overflow(run.communicator, block, reference);
  if (run.options.verify) report.reference_s = timer.lap();

  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *run.place.backend;
  const Bandwidth mine =
      measure_bandwidth(run.communicator, backend,
                        working_set<T>(run.communicator.sum(block.nonzeros()) / run.communicator.size()));
  run.watchdog.stage("measuring exchanges", {.quiet = true});
  const ProductRates rates =
      run.automatic_partition()
          ? product_rates<T>(run.communicator, run.place.backend, mine, {read, block.row_ptr, block.col})
          : ProductRates{};
  timer.lap();
  const Moves moves = partition(run, source, cache, read, block, rates, report);
  Problem<T> problem = place_rows(run, read, std::move(block), std::move(reference), moves, x);
  report.partition_s = timer.lap();
  report.order = order_rows(run, problem);

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
