// spmv_dist solve: A x = b, by every solver, mode and transport that the user wants.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/launch/transport_child.hpp"
#include "app/options/option_names.hpp"
#include "app/report/matrix_report.hpp"
#include "app/report/solve_report.hpp"
#include "app/report/version.hpp"
#include "app/run/load.hpp"
#include "app/run/plan.hpp"
#include "app/run/problem.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/vectors.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/partitioner.hpp"
#include "dist/solve/solver.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

constexpr const char* all_names = "all";

struct SolverOptions : RunOptions {
  std::vector<std::string> solvers = {"cg"};
  std::string preconditioner = "none";
  int degree = 3;
  int block_size = 8;
  double tolerance = 1e-8;
  int most_iterations = 10000;
  int times = 3;
  std::string json_file;

  void declare(CLI::App& app);
  void check();
  NamedFiles files() const { return {{"the matrix", matrix_file, FileUse::read}, {"--json", json_file}}; }
};

template <class Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& row : table) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

void SolverOptions::declare(CLI::App& app) {
  modes = {"auto"};
  declare_matrix(app, *this);
  app.add_option("--solver", solvers, "solvers, comma-separated, or all: " + names_of(spmv::solvers()))
      ->delimiter(',')
      ->group("Solver");
  app.add_option("--preconditioner", preconditioner, "one of " + names_of(preconditioners()))
      ->check(name_in(preconditioners(), "preconditioner"))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--degree", degree, "degree of preconditioner chebyshev")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--block-size", block_size, "rows of a block of preconditioner block_jacobi")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group("Solver");
  declare_number(app, "--tolerance", tolerance, "|b - A x| / |b| at which x is good enough", 0, 1)
      ->group("Solver");
  app.add_option("--max-iterations", most_iterations,
                 "iterations after which a solver stops without a solution")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--times", times, "how often each solver is run; the least time counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  app.add_option("--mode", modes,
                 "modes, comma-separated, or all; auto: the first that works of device, task, vector")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Product");
  app.add_option("--transport", transports, "transports of halo and sums, comma-separated, or all")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Product");
  app.add_option("--layout", layout,
                 "layout of a rank's rows in modes with several: " + names(layout_names()))
      ->check(name_in(layout_names(), "layout"))
      ->capture_default_str()
      ->group("Product");
  declare_format(app, format);
  declare_partition(app, *this);
  declare_backend(app, backend);
  declare_choice(app, *this);
  declare_tune_cache(app, tune_cache);
  declare_timeout(app, timeout);
  declare_json(app, json_file, "write everything, with the history of every solver");
}

/// "auto" becomes the modes in the order in which they are tried.
std::vector<std::string> modes_by_rank() {
  std::vector<const Mode<double>*> rows;
  for (const auto& mode : spmv::modes<double>())
    if (mode.rank > 0) rows.push_back(&mode);
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->rank > b->rank; });
  std::vector<std::string> names;
  for (const auto* row : rows) names.emplace_back(row->name);
  return names;
}

void SolverOptions::check() {
  const bool automatic = modes == std::vector<std::string>{"auto"};
  if (automatic) modes = modes_by_rank();
  RunOptions::check();
  if (automatic) modes.insert(modes.begin(), "auto");
  if (contains(solvers, std::string(all_names))) {
    solvers.clear();
    for (const auto& row : spmv::solvers()) solvers.emplace_back(row.name);
  }
  for (const std::string& solver : solvers) pick(spmv::solvers(), solver, "solver");
}

/// All solvers that the user wants, on one system.
template <class T>
class Solving {
 public:
  Solving(const Run& run, const SolverOptions& options, const Problem<T>& problem, MatrixBuilder<T> builder,
          SolveReport& report)
      : run_(run), options_(options), problem_(problem), builder_(std::move(builder)), report_(report) {}

  void solve_all() {
    std::vector<std::string> modes = options_.modes;
    const bool first_that_works = modes.front() == "auto";
    if (first_that_works) modes.erase(modes.begin());
    for (const std::string& mode : modes)
      for (const std::string& transport : options_.transports) {
        const bool worked = solve_in(pick(spmv::modes<T>(), mode, "mode"), transport);
        if (worked && first_that_works) return;
      }
  }

 private:
  bool solve_in(const Mode<T>& mode, const std::string& transport) {
    try {
      const std::string layout = layouts_to_measure(mode.layouts, options_.layout, false).front();
      if (matrix_ == nullptr || matrix_->layout() != layout) {
        run_.watchdog.stage(fmt::format("building the matrix in layout {}", layout));
        matrix_.reset();
        matrix_ = builder_.build(problem_.rows, layout);
      }
      run_.watchdog.stage(fmt::format("setting up transport {}", transport), {.quiet = true});
      matrix_->use_transport(run_.communicator, transport, mode.needs_queued_exchange, request());
      Workspace<T> on(run_.communicator, *matrix_, mode, transport, request());
      solve_on(on, mode);
      return true;
    } catch (const AgreedError& error) {
      const bool others = options_.modes.size() > 1 || options_.transports.size() > 1;
      if (!others || (error.code() != ExitCode::environment && error.code() != ExitCode::usage)) throw;
      SolveOutlook outlook;
      outlook.mode = mode.name;
      outlook.transport = transport;
      outlook.refused = error.what();
      if (options_.modes.front() != "auto") report_.outlooks.push_back(outlook);
      return false;
    }
  }

  void solve_on(Workspace<T>& on, const Mode<T>& mode) {
    Buffer<T> x = on.make_vector(), b = on.make_vector();
    upload(problem_.reference[0].y, b);
    PreconditionerRequest<T> wanted{on, problem_.rows};
    wanted.degree = options_.degree;
    wanted.block_size = options_.block_size;
    const auto preconditioner =
        pick(preconditioners<T>(), options_.preconditioner, "preconditioner").make(wanted);
    report_.preconditioner = options_.preconditioner;
    if (const std::string choices = preconditioner->choices(); !choices.empty())
      report_.preconditioner += ", " + choices;
    for (const std::string& name : options_.solvers) {
      const SolverRow<T>& solver = pick(solvers<T>(), name, "solver");
      SolveOutlook outlook;
      outlook.solver = name;
      outlook.mode = mode.name;
      outlook.layout = matrix_->layout();
      outlook.format = over_ranks(run_.communicator, matrix_->operators().blocks().front()->decision.format);
      outlook.transport = matrix_->transport_choice().name;
      outlook.sums_transport = on.sums_choice().name;
      outlook.an_iteration_s = std::numeric_limits<double>::infinity();
      outlook.times = options_.times;
      for (int time = 0; time < options_.times; ++time) {
        run_.watchdog.stage(fmt::format("solving with {} in mode {}", name, mode.name));
        matrix_->compute_queue().fill(x.data(), 0, x.bytes());
        outlook.result = solve(solver, on, *preconditioner, x.data(), b.data(),
                               SolveOptions{options_.tolerance, options_.most_iterations, progress()});
        const double each =
            outlook.result.seconds / std::max(1.0, static_cast<double>(outlook.result.history.size()) - 1);
        outlook.an_iteration_s = std::min(outlook.an_iteration_s, run_.communicator.max(each));
      }
      outlook.error = error_of(x);
      outlook.product_s = time_of([&] { on.multiply(x.data(), b_product(on).data()); }, on) * solver.products;
      outlook.sums_s = run_.communicator.size() == 1 ? 0 : time_of([&] { on.add_up(); }, on) * solver.sums;
      report_.outlooks.push_back(std::move(outlook));
    }
  }

  /// Seconds of one of many that are queued behind each other. Collective.
  template <class Work>
  double time_of(const Work& work, Workspace<T>& on) {
    constexpr int batch = 20, batches = 5;
    std::vector<double> times;
    for (int i = 0; i <= batches; ++i) {
      on.matrix().compute_queue().synchronize();
      run_.communicator.barrier();
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < batch; ++k) work();
      on.matrix().compute_queue().synchronize();
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      if (i > 0) times.push_back(run_.communicator.max(elapsed.count()) / batch);
    }
    return *std::min_element(times.begin(), times.end());
  }
  Buffer<T>& b_product(Workspace<T>& on) {
    if (product_.size() == 0) product_ = on.make_vector();
    return product_;
  }

  std::function<bool(int, double)> progress() {
    return [this](int iterations, double residual) {
      run_.watchdog.stage(fmt::format("iteration {}, residual {:.1e}", iterations, residual),
                          {.quiet = true});
      return false;
    };
  }

  void upload(const std::vector<T>& natural, Buffer<T>& to) {
    const std::vector<T> in_basis = matrix_->to_basis(natural);
    if (!in_basis.empty())
      matrix_->backend()->upload(to.data(), in_basis.data(), in_basis.size() * sizeof(T));
  }

  /// |x - known x| / |known x|. Collective.
  double error_of(const Buffer<T>& x) {
    std::vector<T> mine(static_cast<std::size_t>(matrix_->rows()));
    download(*matrix_->backend(), mine.data(), x.data(), mine.size());
    mine = matrix_->from_basis(mine);
    const std::vector<T> known = problem_.x_of(0);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      off += std::norm(std::complex<double>(mine[i]) - std::complex<double>(known[i]));
      size += std::norm(std::complex<double>(known[i]));
    }
    return std::sqrt(run_.communicator.sum(off) / run_.communicator.sum(size));
  }

  TransportRequest request() const {
    TransportRequest request;
    request.child_command = {"/proc/self/exe", transport_child_command};
    request.announce = [&watchdog = run_.watchdog](const std::string& trial, double at_most_s) {
      watchdog.stage(trial, {.beyond_timeout = at_most_s, .quiet = true});
    };
    return request;
  }

  const Run& run_;
  const SolverOptions& options_;
  const Problem<T>& problem_;
  MatrixBuilder<T> builder_;
  SolveReport& report_;
  std::unique_ptr<DistMatrix<T>> matrix_;
  Buffer<T> product_;
};

template <class T>
SolveReport solve_as(const Run& run, const SolverOptions& options, const MatrixSource& source) {
  const Communicator& communicator = run.communicator;
  SolveReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.ranks = communicator.size();
  report.backend = run.place.backend->name();
  report.preconditioner = options.preconditioner;
  report.tolerance = options.tolerance;
  if (source.shape.rows != source.shape.cols)
    throw AgreedError(ExitCode::usage,
                      fmt::format("{} has {} rows and {} columns, and solvers need a square matrix",
                                  source.name, source.shape.rows, source.shape.cols));
  StageTimer timer(communicator);
  LoadedMatrix<T> loaded{Ownership::even(source.shape, communicator.size()), {}, {}, {}};
  loaded.block = load_with_progress<T>(run, source, loaded.owners.rows);
  report.load_s = timer.lap();
  report.nonzeros = communicator.sum(loaded.block.nonzeros());
  loaded.reference = make_reference(run, loaded.block, loaded.owners.cols, loaded.x);
  run.watchdog.stage("measuring bandwidths", {.quiet = true});
  Backend& backend = *run.place.backend;
  const Bandwidth mine =
      measure_bandwidth(communicator, backend, working_set<T>(report.nonzeros / communicator.size()));
  PartitionRequest request{.seed = options.seed, .products = options.products};
  if (run.automatic_partition())
    request.rates = product_rates<T>(communicator, run.place.backend, mine,
                                     {loaded.owners, loaded.block.row_ptr, loaded.block.col});
  Assignment assignment = assign_rows(communicator, pick(partitioners(), options.partition, "partitioner"),
                                      loaded.owners, loaded.block, request);
  const Problem<T> problem = make_problem(run, std::move(loaded), {std::move(assignment)});
  DistOptions dist;
  dist.format = dist.nonlocal_format = options.format;
  dist.tune = tune_request(options, tuning_bandwidth(communicator, backend, mine));
  const auto warn = [](const std::string& sentence) { say("warning: " + sentence); };
  MatrixBuilder<T> builder(communicator, run.place, dist, {options.tune_cache, program_version(), warn});
  report.setup_s = timer.lap();
  Solving<T>(run, options, problem, std::move(builder), report).solve_all();
  return report;
}

ExitCode run_solve(const Session& session, const SolverOptions& options) {
  const Place place = prepare_machine(session.communicator, options.backend);
  const Run run{session, place, options};
  const SolveReport report = with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return solve_as<typename decltype(tag)::Type>(run, options, source);
  });
  return conclude(session, report, report.solved() ? ExitCode::ok : ExitCode::unsolved);
}

}  // namespace

std::unique_ptr<Command> declare_solve(CLI::App& app) {
  return command<SolverOptions, run_solve>(app);
}

}  // namespace spmv
