#include "app/run/plan_ranks.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "app/run/machine_file.hpp"
#include "app/run/stage_timer.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"

namespace spmv {
namespace {

/// What partition auto goes by on a machine.
ProductRates rates_of(const Machine& machine, const ProductBytes& bytes) {
  return {bytes, machine.memory, machine.far_exchange, machine.far_message_s};
}

template <class T>
RanksReport plan_as(const Run& run, const MatrixSource& source) {
  const Communicator& communicator = run.communicator;
  const Options& options = run.options;
  RanksReport report;
  report.matrix = source.name;
  report.description = source.description;
  report.shape = source.shape;
  report.value = value_name<T>();
  report.machine = communicator.together([&] { return find_described_machine(options.machine); });
  const ProductBytes bytes = balance_bytes(sizeof(T), 0);

  const Ownership read = Ownership::even(source.shape, communicator.size());
  StageTimer timer(communicator);
  RowBlock<T> block = load_with_progress<T>(run, source, read.rows);
  std::vector<T>().swap(block.value);  // the pattern is enough
  report.load_s = timer.lap();
  report.nonzeros = communicator.sum(block.row_ptr.back());
  PartShare all{.rows = source.shape.rows, .nonzeros = report.nonzeros};
  report.alone = predict_modes({all}, bytes, report.machine);

  const Pattern pattern(read, block.row_ptr, block.col);
  const Partitioner& partitioner = pick(partitioners(), options.partition, "partitioner");
  for (const int ranks : options.rank_counts) {
    run.watchdog.stage(fmt::format("planning {} ranks", ranks));
    PartitionRequest request{.parts = ranks,
                             .seed = options.seed,
                             .products = options.products,
                             .rates = rates_of(report.machine, bytes)};
    request.ready = ready_partitions(run, source, read, request);
    const Assignment assignment = assign_rows(communicator, partitioner, read, block, request);
    RanksOutlook outlook;
    outlook.ranks = ranks;
    outlook.partitioner = assignment.choice.taken.empty() ? options.partition : assignment.choice.taken;
    outlook.reason = assignment.choice.reason;
    outlook.shares = examine(communicator, pattern, assignment, ranks, report.machine.ranks_per_node);
    outlook.times = predict_modes(outlook.shares, bytes, report.machine);
    report.outlooks.push_back(std::move(outlook));
  }
  report.partition_s = timer.lap();
  return report;
}

}  // namespace

RanksReport plan_ranks(const Run& run) {
  const MatrixSource source = find_source(run);
  return with_value_type(value_type(run.options, source),
                         [&](auto tag) { return plan_as<typename decltype(tag)::Type>(run, source); });
}

}  // namespace spmv
