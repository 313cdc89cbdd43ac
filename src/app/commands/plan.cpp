// spmv_dist plan: what a matrix would be on other numbers of ranks and another machine.
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/report/ranks_report.hpp"
#include "app/run/load.hpp"
#include "app/run/machine_file.hpp"
#include "app/run/stage_timer.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {
namespace {

struct PlanOptions : ReportOptions, PartitionOptions {
  std::vector<int> rank_counts = {1};
  std::string machine = default_machine;
  double products = default_products;
  std::string solver;  // empty: only products are predicted

  void declare(CLI::App& app) {
    declare_matrix(app, *this);
    declare_rank_counts(app, rank_counts);
    declare_machine(app, machine);
    declare_partition(app, *this);
    declare_products(app, products);
    app.add_option("--solver", solver, "predict iterations, without a preconditioner, of " + names(solvers()))
        ->check(name_in(solvers(), "solver"))
        ->group("Plan");
    declare_timeout(app, timeout);
    declare_json(app, json_file, "write all of it, with the share of every rank");
  }
  void check() const { check_matrix(*this); }
  NamedFiles files() const {
    NamedFiles all = ReportOptions::files();
    all.push_back({"--machine", file_of_machine(machine), FileUse::read});
    return all;
  }
};

/// The rates of a machine, for partition auto.
ProductRates rates_of(const Machine& machine, const ProductBytes& bytes) {
  return {bytes, machine.memory, machine.far_exchange, machine.far_message_s};
}

/// What an iteration of this solver consists of.
IterationWork work_of(const std::string& name) {
  const auto& solver = pick(solvers(), name, "solver");
  return {solver.products, solver.sums, solver.hides_sums, solver.passes};
}

template <class T>
RanksReport plan_as(const Session& session, const PlanOptions& options, const MatrixSource& source) {
  const Communicator& communicator = session.communicator;
  RanksReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.machine = communicator.together([&] { return find_described_machine(options.machine); });
  const ProductBytes bytes = balance_bytes(sizeof(T), 0);

  const Ownership read = Ownership::even(source.shape, communicator.size());
  StageTimer timer(communicator);
  RowBlock<T> block = load_with_progress<T>(session, source, read.rows);
  std::vector<T>().swap(block.value);  // the pattern is enough
  report.load_s = timer.lap();
  report.nonzeros = communicator.sum(block.row_ptr.back());
  PartShare all{.rows = source.shape.rows, .nonzeros = report.nonzeros};
  report.alone = predict_modes({all}, bytes, report.machine);
  report.solver = options.solver;
  const auto iteration = [&](const std::vector<PartShare>& shares, const ModeTimes& times) {
    if (options.solver.empty()) return IterationTimes{};
    return predict_iteration(shares, work_of(options.solver), times.best(), sizeof(T), report.machine);
  };
  report.iteration_alone = iteration({all}, report.alone);

  const Pattern pattern(read, block.row_ptr, block.col);
  const Partitioner& partitioner = pick(partitioners(), options.partition, "partitioner");
  for (const int ranks : options.rank_counts) {
    session.watchdog.stage(fmt::format("planning {} ranks", ranks));
    PartitionRequest request{.parts = ranks,
                             .seed = options.seed,
                             .products = options.products,
                             .rates = rates_of(report.machine, bytes)};
    request.ready = ready_partitions(session, source, read, request, options.partition);
    const Assignment assignment = assign_rows(communicator, partitioner, read, block, request);
    RanksOutlook outlook;
    outlook.ranks = ranks;
    outlook.partitioner = assignment.choice.taken.empty() ? options.partition : assignment.choice.taken;
    outlook.reason = assignment.choice.reason;
    outlook.shares = examine(communicator, pattern, assignment, ranks, report.machine.ranks_per_node);
    outlook.times = predict_modes(outlook.shares, bytes, report.machine);
    outlook.iteration = iteration(outlook.shares, outlook.times);
    report.outlooks.push_back(std::move(outlook));
  }
  report.partition_s = timer.lap();
  return report;
}

/// Loads the matrix and finds out what it would be on as many ranks as the user names, on the machine that the user
/// names. The ranks at hand only count: they may be fewer. Collective; throws AgreedError.
ExitCode run_plan(const Session& session, const PlanOptions& options) {
  prepare_host(session.communicator);
  return conclude(session, with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
                    return plan_as<typename decltype(tag)::Type>(session, options, source);
                  }));
}

}  // namespace

std::unique_ptr<Command> declare_plan(CLI::App& app) {
  return command<PlanOptions, run_plan>(app);
}

}  // namespace spmv
