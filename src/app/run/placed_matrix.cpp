#include "app/run/placed_matrix.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/launch/transport_child.hpp"
#include "app/report/version.hpp"
#include "app/run/environment.hpp"
#include "app/run/load.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/vectors.hpp"
#include "app/say.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

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
                     RunHead& head) {
  LoadedMatrix<T> loaded{Ownership::even(source.shape, run.communicator.size()), {}, {}, {}};
  loaded.block = cache.load<T>(loaded.owners.rows);
  head.load_s = timer.lap();
  loaded.x = read_x<T>(run, loaded.owners.cols);
  loaded.reference = make_reference(run, loaded.block, loaded.owners.cols, loaded.x);
  require_no_overflow(run.communicator, loaded.block, loaded.reference);
  if (run.options.verify) head.reference_s = timer.lap();
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
                     const LoadedMatrix<T>& loaded, const ProductRates& rates, RunHead& head) {
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
  if (!assignment.choice.taken.empty()) head.partitioner = assignment.choice.taken;
  cache.keep(assignment, request, loaded.owners, head.partitioner);
  head.partition_choice = assignment.choice;
  head.partition_asked = run.options.partition;
  return assignment;
}

}  // namespace

void begin_head(const Run& run, RunHead& head) {
  head.command_line = run.command_line;
  head.ranks = run.communicator.size();
  head.nodes = run.place.nodes;
  head.backend = run.place.backend->name();
  head.on_host = run.place.backend->runs_host_code();
  head.places = run.communicator.gather(run.place.description);
  head.partitioner = run.options.partition;
  head.seed = run.options.seed;
  head.vectors = run.options.vectors;
  head.columns = run.options.columns;
  head.versions = version_text();
  head.environment = find_environment(run.communicator, run.place);
  head.date = now();
}

template <class T>
PlacedMatrix<T> place_matrix(const Run& run, const MatrixSource& source, RunHead& head) {
  head.matrix = source.name;
  head.description = source.description;
  head.shape = source.shape;
  head.value = value_name<T>();
  head.load_megabytes = source.megabytes;
  run.communicator.together([&] {  // before anything is loaded
    require_usable<T>(run.options.format, *run.place.backend);
    require_usable<T>(nonlocal_format(run.options), *run.place.backend);
  });

  StageTimer timer(run.communicator);
  const MatrixCache cache = open_cache(run, source);
  LoadedMatrix<T> loaded = load<T>(run, source, cache, timer, head);
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  const gidx nonzeros = run.communicator.sum(loaded.block.nonzeros());
  const Bandwidth mine = measure_bandwidth(run.communicator, *run.place.backend,
                                           working_set<T>(nonzeros / run.communicator.size()));
  const ProductRates rates = measure_rates(run, loaded, mine);
  timer.lap();
  Assignment assignment = partition(run, source, cache, loaded, rates, head);
  const OrderRequest order{run.options.order, run.options.seed, run.options.products, mine.copy};
  Problem<T> problem = make_problem(run, std::move(loaded), {std::move(assignment), order});
  head.order = problem.order.decision;
  head.partition_s = timer.lap() - head.order.seconds;
  return {std::move(problem), mine};
}

template <class T>
MatrixBuilder<T> matrix_builder(const Run& run, double tuning_bandwidth, bool sums,
                                const std::string& format) {
  DistOptions options;
  options.format = format.empty() ? run.options.format : format;
  options.nonlocal_format = format.empty() ? nonlocal_format(run.options) : format;
  options.tune = tune_request(run.options, tuning_bandwidth);
  options.tune.sums = sums;
  options.tune.columns = run.options.columns;
  const auto warn = [](const std::string& sentence) { say("warning: " + sentence); };
  return {run.communicator, run.place, options, {run.options.tune_cache, program_version(), warn}};
}

TransportRequest transport_request(const Run& run,
                                   const std::shared_ptr<std::vector<TransportReport>>& earlier_trials) {
  TransportRequest request;
  request.child_command = {"/proc/self/exe", transport_child_command};
  const double timeout = run.options.timeout;
  constexpr double least_s = 1;  // a busy machine may need as long for an empty exchange
  if (timeout > 0) request.limit_s = std::min(request.limit_s, std::max(least_s, timeout / 10));
  request.announce = [&watchdog = run.watchdog](const std::string& trial, double at_most_s) {
    watchdog.stage(trial, {.beyond_timeout = at_most_s, .quiet = true});
  };
  request.earlier_trials = earlier_trials;
  return request;
}

SPMV_INSTANTIATE(place_matrix);
SPMV_INSTANTIATE(matrix_builder);

}  // namespace spmv
