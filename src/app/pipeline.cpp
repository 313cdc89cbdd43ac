#include "app/pipeline.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "app/load.hpp"
#include "app/measure.hpp"
#include "app/model.hpp"
#include "app/product.hpp"
#include "app/transport_turns.hpp"
#include "app/trial.hpp"
#include "app/tuning_cache.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "dist/redistribute.hpp"

namespace spmv {
namespace {

/// Wall seconds of a collective step: the slowest rank's.
class StepTimer {
 public:
  explicit StepTimer(const Communicator& communicator) : communicator_(communicator) {}
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double mine = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return communicator_.max(mine);
  }

 private:
  const Communicator& communicator_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The matrix where it will be multiplied, and what its products must be.
template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, steps> reference;  // empty without --verify
};

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
std::array<Reference<T>, steps> make_reference(const Options& options, const RowBlock<T>& block) {
  std::array<Reference<T>, steps> reference;
  for (unsigned step = 0; options.verify && step < steps; ++step)
    reference[step] = reference_product(block, step);
  return reference;
}

/// References are made from the rows as read, before anything is moved or renumbered, and travel with their
/// rows: a mistake in partitioning cannot hide in them.
template <class T>
Problem<T> distribute(const Communicator& communicator, const Options& options, const Shape& shape,
                      const RowPartition& rows, const RowPartition& cols, RowBlock<T> block,
                      std::array<Reference<T>, steps> reference, Watchdog& watchdog) {
  watchdog.step("partitioning");
  const Pattern pattern{shape, rows, cols, block.row_ptr, block.col};
  const Partitioner& partitioner = pick(partitioners(), options.partition, "partitioner");
  const Assignment assignment = partitioner.assign(communicator, pattern, options.seed);
  watchdog.step("moving rows to their owners");
  const Move row_move(communicator, assignment.rows);
  const Move col_move = pattern.square() ? row_move : Move(communicator, assignment.cols);
  for (Reference<T>& r : reference) {
    if (!options.verify) continue;
    r.y = row_move.carry(r.y);
    r.bound = row_move.carry(r.bound);
  }
  return {redistribute(communicator, pattern, std::move(block), row_move, col_move), std::move(reference)};
}

template <class T>
PartitionStats partition_stats(const Communicator& communicator, const DistributedRows<T>& rows,
                               const HaloPlan& plan) {
  PartitionStats stats;
  const int me = communicator.rank();
  const gidx first = rows.cols.first(me), end = rows.cols.first(me + 1);
  gidx cut = 0;
  for (const gidx col : rows.block.col) cut += col < first || col >= end;
  const gidx mine = rows.block.nonzeros();
  const auto neighbours = static_cast<gidx>(plan.neighbours.size());
  const auto sums = communicator.sum(std::vector<gidx>{mine, cut, plan.ghosts, neighbours});
  stats.nonzeros = sums[0];
  stats.edge_cut = sums[1];
  stats.halo_total = sums[2];
  stats.average_neighbours = static_cast<double>(sums[3]) / communicator.size();
  stats.largest_nonzeros = communicator.max(mine);
  stats.halo_largest = communicator.max(gidx{plan.ghosts});
  stats.most_neighbours = communicator.max(neighbours);
  if (stats.nonzeros > 0)
    stats.nonzero_balance = static_cast<double>(stats.largest_nonzeros) * communicator.size() /
                            static_cast<double>(stats.nonzeros);
  return stats;
}

template <class T>
FootprintStats footprint_stats(const Communicator& communicator, const DistMatrix<T>& matrix) {
  Footprint f = matrix.main_operator().footprint();
  if (const auto* nonlocal = matrix.nonlocal_operator()) {
    const Footprint n = nonlocal->footprint();
    f.nonzeros += n.nonzeros;
    f.stored_elements += n.stored_elements;
    f.ellpack_elements += n.ellpack_elements;
    f.bytes += n.bytes;
  }
  const auto sums =
      communicator.sum({f.nonzeros, f.stored_elements, f.ellpack_elements, static_cast<gidx>(f.bytes)});
  return {sums[0], sums[1], sums[2], static_cast<double>(sums[3])};
}

template <class T>
Model find_model(const Communicator& communicator, const DistributedRows<T>& rows, const HaloPlan& plan,
                 const Options& options, const Bandwidth& mine) {
  ModelInput input;
  input.rows = static_cast<double>(rows.block.rows());
  input.nonzeros = static_cast<double>(rows.block.nonzeros());
  input.cols = static_cast<double>(plan.owned);
  input.sent = static_cast<double>(plan.send_total());
  input.ghosts = static_cast<double>(plan.ghosts);
  input.value_bytes = sizeof(T);
  input.flops_per_nonzero = ValueTraits<T>::flops_per_nonzero;
  input.vectors_on_host = options.vectors == "host";
  return slowest(communicator, model(input, mine));
}

/// Runs every x once with NaN in place of everything old, and compares row by row. Collective.
template <class T>
void verify(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
            const Problem<T>& problem, bool poisoned, ModeResult& result) {
  for (unsigned step = 0; step < steps; ++step) {
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

/// Number and cores of the threads that compute: where the communication thread has a core, they leave it
/// alone.
void place_threads(const Machine& machine, bool uses_comm_thread) {
  const bool apart = uses_comm_thread && machine.cores.comm_core >= 0;
  omp_set_num_threads(apart ? std::min(machine.threads, machine.cores.per_rank - 1) : machine.threads);
  const std::vector<int>& cores = apart ? machine.cores.compute : machine.cores.all;
#pragma omp parallel
  bind_to(cores);
}

/// "csr" where all ranks have it, otherwise how many have which, the most common first. On rank 0.
std::string over_ranks(const Communicator& communicator, const std::string& mine) {
  std::map<std::string, int> ranks_with;
  for (const std::string& format : communicator.gather(mine)) ++ranks_with[format];
  std::vector<std::pair<std::string, int>> counts(ranks_with.begin(), ranks_with.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (counts.size() <= 1) return mine;
  std::string text;
  for (const auto& [format, ranks] : counts)
    text += text.empty() ? fmt::format("{} ({} of {} ranks)", format, ranks, communicator.size())
                         : fmt::format(", {} ({})", format, ranks);
  return text;
}

/// Adds what one layout's formats were and what they cost to find. Collective.
template <class T>
void report_formats(const Communicator& communicator, const DistMatrix<T>& matrix, RunReport& report) {
  TuningStats& tuning = report.tuning;
  const Decision& mine = matrix.decision();
  tuning.seconds += communicator.max(mine.spent_s);
  if (report.modes.empty()) {
    report.format = over_ranks(communicator, mine.format);
    tuning.decision = mine;
  }
  if (matrix.nonlocal_operator() != nullptr && tuning.nonlocal_decision.format.empty()) {
    report.nonlocal_format = over_ranks(communicator, matrix.nonlocal_decision().format);
    tuning.nonlocal_decision = matrix.nonlocal_decision();
  }
  if (tuning.decision.measured_s > 0) tuning.cost_in_products = tuning.seconds / tuning.decision.measured_s;
}

/// One mode over the transport that the matrix has: verified, measured, verified. Collective.
template <class T>
ModeResult run_mode(const Communicator& communicator, const Options& options, const Machine& machine,
                    Watchdog& watchdog, const Problem<T>& problem, Product<T>& product, const Mode<T>& mode,
                    const RunReport& report) {
  place_threads(machine, mode.uses_comm_thread);
  watchdog.step(fmt::format("verifying mode {}", mode.name));
  ModeResult before;
  if (options.verify) verify(communicator, product, mode, problem, true, before);
  ModeResult result = measure(communicator, product, mode, options, watchdog);
  result.transport = product.matrix().transport_choice().name;
  result.compute_threads = omp_get_max_threads();
  result.rows_wrong = before.rows_wrong;
  result.worst_ratio = before.worst_ratio;
  result.worst_row = before.worst_row;
  if (options.verify) verify(communicator, product, mode, problem, false, result);
  if (result.median_s > 0) {
    result.gflops = static_cast<double>(report.partition.nonzeros) * ValueTraits<T>::flops_per_nonzero /
                    result.median_s * 1e-9;
    result.gbytes_per_s = effective_bytes<T>(report) / result.median_s * 1e-9;
  }
  return result;
}

template <class T>
void run_modes(const Communicator& communicator, const Options& options, const Machine& machine,
               Watchdog& watchdog, const Problem<T>& problem, const Bandwidth& my_bandwidth,
               double tuning_bandwidth, RunReport& report) {
  const std::string device = cache_device(*machine.backend, machine.threads);
  DistOptions wanted;
  wanted.format = options.format;
  wanted.nonlocal_format = options.nonlocal_format.empty() ? options.format : options.nonlocal_format;
  wanted.probe.child_command = {"/proc/self/exe", trial_command};
  if (options.timeout > 0) wanted.probe.limit_s = std::min(wanted.probe.limit_s, options.timeout / 10);
  wanted.probe.known = std::make_shared<std::vector<RoadReport>>();  // every layout has the same halo
  wanted.transport.clear();
  wanted.tune = tune_request(options, tuning_bandwidth);
  wanted.comm_core = machine.cores.comm_core;
  if (report.tuning.automatic) wanted.known = recall_choices(communicator, options.tune_cache, device);
  std::unique_ptr<DistMatrix<T>> matrix;
  std::optional<Watchdog::Detail> waiting;
  std::unique_ptr<Product<T>> product;
  std::pair<std::string, bool> moving;  // the transport as named, and whether it must only queue
  for (const std::string& name : options.modes) {
    const Mode<T>& mode = pick(modes<T>(), name, "mode");
    if (!matrix || matrix->layout() != mode.layout) {
      watchdog.step(fmt::format("building the matrix for mode {}", name));
      StepTimer timer(communicator);
      product.reset();
      waiting.reset();
      matrix.reset();  // two layouts at once would need twice the memory
      moving = {};
      wanted.layout = mode.layout;
      wanted.queued_transport = mode.queues_exchange;
      matrix = std::make_unique<DistMatrix<T>>(communicator, problem.rows, wanted, machine.backend);
      communicator.together([&] {
        product = std::make_unique<Product<T>>(*matrix, problem.rows.original_col, options.vectors == "host");
      });
      report.build_s += timer.lap();
      report_formats(communicator, *matrix, report);
      if (report.tuning.automatic) {
        const Decision& chosen = matrix->decision();
        remember_choice(communicator, options.tune_cache, device, chosen, options.products);
        // The other layout's block is nearly this one: what suits this one suits it as well.
        wanted.known.insert(wanted.known.begin(),
                            {"", chosen.format, chosen.options, chosen.measured_s, options.products});
      }
      if (report.modes.empty()) {
        report.partition = partition_stats(communicator, problem.rows, matrix->plan());
        report.footprint = footprint_stats(communicator, *matrix);
        report.model = find_model(communicator, problem.rows, matrix->plan(), options, my_bandwidth);
      }
    }
    for (const std::string& asked : options.transports) {
      const std::pair turn(asked, wanted.queued_transport);
      if (turn != moving) {
        watchdog.step(fmt::format("setting up transport {} for mode {}", asked, name));
        StepTimer timer(communicator);
        waiting.reset();
        moving = {};
        if (!take_turn(communicator, options, wanted, asked, name, *matrix, report)) continue;
        moving = turn;
        waiting.emplace(watchdog, [&exchanging = *matrix] {
          const std::string halo = exchanging.waiting_for();
          return halo.empty() ? "with no halo under way: it waits for its own device or for other ranks"
                              : halo;
        });
        report.build_s += timer.lap();
      }
      ModeResult result = run_mode(communicator, options, machine, watchdog, problem, *product, mode, report);
      result.chosen = asked == auto_transport;
      report.modes.push_back(std::move(result));
    }
  }
  require_some_turn(report);
}

template <class T>
RunReport run(const Communicator& communicator, const Options& options, const Machine& machine,
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
  require_usable<T>(communicator, options.format, *machine.backend);
  require_usable<T>(communicator, report.nonlocal_format, *machine.backend);

  const RowPartition rows = RowPartition::even(source.shape.rows, communicator.size());
  const RowPartition cols = RowPartition::even(source.shape.cols, communicator.size());
  StepTimer timer(communicator);
  RowBlock<T> block = load_rows<T>(communicator, options, rows, watchdog);
  report.load_s = timer.lap();
  watchdog.step("computing the reference");
  auto reference = make_reference(options, block);
  if (options.verify) report.reference_s = timer.lap();
  const Problem<T> problem = distribute(communicator, options, source.shape, rows, cols, std::move(block),
                                        std::move(reference), watchdog);
  report.partition_s = timer.lap();

  watchdog.step("measuring bandwidths");
  const double working_set = static_cast<double>(problem.rows.block.nonzeros()) * (sizeof(T) + sizeof(lidx));
  const Bandwidth mine = measure_bandwidth(communicator, *machine.backend, working_set);
  report.bandwidth = {communicator.sum(mine.copy), communicator.sum(mine.to_device),
                      communicator.sum(mine.to_host)};
  const bool chooses = report.tuning.automatic || report.nonlocal_format == auto_format;
  run_modes(communicator, options, machine, watchdog, problem, mine,
            chooses ? tuning_bandwidth(communicator, *machine.backend, mine) : 0, report);
  return report;
}

struct ValueRow {
  const char* name;
  RunReport (*run)(const Communicator&, const Options&, const Machine&, const MatrixSource&, Watchdog&);
};

}  // namespace

RunReport run_pipeline(const Communicator& communicator, const Options& options, const Machine& machine,
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
      .run(communicator, options, machine, source, watchdog);
}

}  // namespace spmv
