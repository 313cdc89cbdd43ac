#include "app/run/pipeline.hpp"

#include <array>
#include <complex>
#include <utility>

#include "app/run/load.hpp"
#include "app/run/run_modes.hpp"
#include "app/run/step_timer.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "dist/bandwidth.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {
namespace {

/// Refuses a format that the backend cannot run, before anything is loaded. Collective.
template <class T>
void require_usable(const Communicator& communicator, const std::string& name, const Backend& backend) {
  if (name == auto_format) return;
  communicator.together([&] {
    const Format<T>& format = pick(formats<T>(), name, "format");
    const std::string reason = why_unusable(format, backend);
    if (!reason.empty()) throw Error(ExitCode::environment, reason);
  });
}

/// What every product must give, from the rows as read. Empty without --verify.
template <class T>
std::array<Reference<T>, distinct_x> make_reference(const Options& options, const RowBlock<T>& block) {
  std::array<Reference<T>, distinct_x> reference;
  for (unsigned step = 0; options.verify && step < distinct_x; ++step)
    reference[step] = reference_product(block, step);
  return reference;
}

/// References are made from the rows as read, before anything is moved or renumbered, and travel with their
/// rows: a mistake in partitioning cannot hide in them.
template <class T>
Problem<T> distribute(const Communicator& communicator, const Options& options, const Ownership& read,
                      RowBlock<T> block, std::array<Reference<T>, distinct_x> reference, Watchdog& watchdog) {
  watchdog.step("partitioning");
  const Partitioner& partitioner = pick(partitioners(), options.partition, "partitioner");
  const Assignment assignment = assign_rows(communicator, partitioner, read, block, options.seed);
  watchdog.step("moving rows to their owners");
  const Move row_move(communicator, assignment.rows);
  const Move col_move = read.square() ? row_move : Move(communicator, assignment.cols);
  for (Reference<T>& r : reference) {
    if (!options.verify) continue;
    r.y = row_move.carry(r.y);
    r.bound = row_move.carry(r.bound);
  }
  return {redistribute(communicator, read, std::move(block), row_move, col_move), std::move(reference)};
}

template <class T>
RunReport run(const Communicator& communicator, const Options& options, const Place& place,
              const MatrixSource& source, Watchdog& watchdog) {
  RunReport report;
  report.matrix = source.name;
  report.description = source.description;
  report.shape = source.shape;
  report.value = value_name<T>();
  report.load_megabytes = source.megabytes;
  report.nonlocal_format = options.nonlocal_format.empty() ? options.format : options.nonlocal_format;
  report.tuning.automatic = options.format == auto_format;
  report.tuning.products = options.products;
  report.tuning.hint = options.hint;
  require_usable<T>(communicator, options.format, *place.backend);
  require_usable<T>(communicator, report.nonlocal_format, *place.backend);

  const Ownership read = Ownership::even(source.shape, communicator.size());
  StepTimer timer(communicator);
  RowBlock<T> block = load_rows<T>(communicator, options, read.rows, watchdog);
  report.load_s = timer.lap();
  watchdog.step("computing the reference");
  auto reference = make_reference(options, block);
  if (options.verify) report.reference_s = timer.lap();
  const Problem<T> problem =
      distribute(communicator, options, read, std::move(block), std::move(reference), watchdog);
  report.partition_s = timer.lap();

  watchdog.step("measuring bandwidths");
  const double working_set = static_cast<double>(problem.rows.block.nonzeros()) * (sizeof(T) + sizeof(lidx));
  const Bandwidth mine = measure_bandwidth(communicator, *place.backend, working_set);
  report.bandwidth = {communicator.sum(mine.copy), communicator.sum(mine.to_device),
                      communicator.sum(mine.to_host)};
  const bool chooses = report.tuning.automatic || report.nonlocal_format == auto_format;
  run_modes(communicator, options, place, watchdog, problem, mine,
            chooses ? tuning_bandwidth(communicator, *place.backend, mine) : 0, report);
  return report;
}

struct ValueRow {
  const char* name;
  RunReport (*run)(const Communicator&, const Options&, const Place&, const MatrixSource&, Watchdog&);
};

}  // namespace

RunReport run_pipeline(const Communicator& communicator, const Options& options, const Place& place,
                       Watchdog& watchdog) {
  static const std::vector<ValueRow> table = {
      {value_name<float>(), run<float>},
      {value_name<double>(), run<double>},
      {value_name<std::complex<float>>(), run<std::complex<float>>},
      {value_name<std::complex<double>>(), run<std::complex<double>>},
  };
  watchdog.step("looking at the matrix");
  const MatrixSource source = find_source(communicator, options);
  return pick(table, value_type(options, source), "value type")
      .run(communicator, options, place, source, watchdog);
}

}  // namespace spmv
