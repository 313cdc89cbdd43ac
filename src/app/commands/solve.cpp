// spmv_dist solve: A x = b, by every solver, mode and transport that the user wants.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/report/matrix_report.hpp"
#include "app/report/solve_report.hpp"
#include "app/run/load.hpp"
#include "app/run/workspaces.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {
namespace {

constexpr const char* all_names = "all";

struct SolverOptions : WorkspaceOptions {
  std::vector<std::string> solvers = {"cg"};
  std::string preconditioner = "none";
  int degree = 3;
  int block_size = 8;
  double tolerance = 1e-8;
  int most_iterations = 10000;
  int times = 3;

  void declare(CLI::App& app);
  void check();
};

void declare_solver(CLI::App& app, SolverOptions& o) {
  app.add_option("--solver", o.solvers, "solvers, comma-separated, or all: " + names(solvers()))
      ->delimiter(',')
      ->group("Solver");
  app.add_option("--preconditioner", o.preconditioner, "one of " + names(preconditioners()))
      ->check(name_in(preconditioners(), "preconditioner"))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--degree", o.degree, "degree of preconditioner chebyshev")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--block-size", o.block_size, "rows of a block of preconditioner block_jacobi")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group("Solver");
  declare_number(app, "--tolerance", o.tolerance, "|b - A x| / |b| at which x is good enough", 0, 1)
      ->group("Solver");
  app.add_option("--max-iterations", o.most_iterations,
                 "iterations after which a solver stops without a solution")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Solver");
}

void SolverOptions::declare(CLI::App& app) {
  declare_matrix(app, *this);
  declare_solver(app, *this);
  app.add_option("--times", times, "how often each solver is run; the least time counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Measurement");
  declare_workspace(app, *this);
  declare_json(app, json_file, "write everything, with the history of every solver");
}

void SolverOptions::check() {
  WorkspaceOptions::check();
  if (contains(solvers, std::string(all_names))) {
    solvers.clear();
    for (const auto& row : spmv::solvers()) solvers.emplace_back(row.name);
  }
  for (const std::string& solver : solvers) pick(spmv::solvers(), solver, "solver");
}

/// |x - known x| / |known x|, both natural. Collective.
template <class T>
double error_of(const Communicator& communicator, const std::vector<T>& x, const std::vector<T>& known) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(std::complex<double>(x[i]) - std::complex<double>(known[i]));
    size += std::norm(std::complex<double>(known[i]));
  }
  return std::sqrt(communicator.sum(off) / communicator.sum(size));
}

/// All solvers that the user wants, in one workspace.
template <class T>
class Solving {
 public:
  Solving(const Run& run, const SolverOptions& options, const Problem<T>& problem, Workspace<T>& on,
          const Mode<T>& mode)
      : run_(run),
        options_(options),
        problem_(problem),
        on_(on),
        mode_(mode),
        x_(on.make_vector()),
        b_(on.make_vector()),
        product_(on.make_vector()) {
    to_device(on_, problem_.reference[0].y, b_);
  }

  void solve_all(SolveReport& report) {
    PreconditionerRequest<T> wanted{on_, problem_.rows};
    wanted.degree = options_.degree;
    wanted.block_size = options_.block_size;
    const auto preconditioner =
        pick(preconditioners<T>(), options_.preconditioner, "preconditioner").make(wanted);
    report.preconditioner = options_.preconditioner;
    if (const std::string choices = preconditioner->choices(); !choices.empty())
      report.preconditioner += ", " + choices;
    for (const std::string& name : options_.solvers)
      report.outlooks.push_back(solve_with(pick(solvers<T>(), name, "solver"), *preconditioner));
  }

 private:
  SolveOutlook solve_with(const SolverRow<T>& solver, Preconditioner<T>& preconditioner) {
    SolveOutlook outlook = describe(solver);
    outlook.an_iteration_s = std::numeric_limits<double>::infinity();
    for (int time = 0; time < options_.times; ++time) {
      run_.watchdog.stage(fmt::format("solving with {} in mode {}", solver.name, mode_.name));
      on_.matrix().compute_queue().fill(x_.data(), 0, x_.bytes());
      outlook.result = solve(solver, on_, preconditioner, x_.data(), b_.data(),
                             SolveOptions{options_.tolerance, options_.most_iterations, progress()});
      const double each =
          outlook.result.seconds / std::max(1.0, static_cast<double>(outlook.result.history.size()) - 1);
      outlook.an_iteration_s = std::min(outlook.an_iteration_s, run_.communicator.max(each));
    }
    outlook.error = error_of(run_.communicator, from_device(on_, x_), problem_.x_of(0));
    outlook.product_s = time_of(on_, [&] { on_.multiply(x_.data(), product_.data()); }) * solver.products;
    outlook.sums_s = run_.communicator.size() == 1 ? 0 : time_of(on_, [&] { on_.add_up(); }) * solver.sums;
    return outlook;
  }

  SolveOutlook describe(const SolverRow<T>& solver) const {
    DistMatrix<T>& matrix = on_.matrix();
    SolveOutlook outlook;
    outlook.solver = solver.name;
    outlook.mode = mode_.name;
    outlook.layout = matrix.layout();
    outlook.format = over_ranks(run_.communicator, matrix.operators().blocks().front()->decision.format);
    outlook.transport = matrix.transport_choice().name;
    outlook.sums_transport = on_.sums_choice().name;
    outlook.times = options_.times;
    return outlook;
  }

  std::function<bool(int, double)> progress() {
    return [this](int iterations, double residual) {
      run_.watchdog.stage(fmt::format("iteration {}, residual {:.1e}", iterations, residual),
                          {.quiet = true});
      return false;
    };
  }

  const Run& run_;
  const SolverOptions& options_;
  const Problem<T>& problem_;
  Workspace<T>& on_;
  const Mode<T>& mode_;
  Buffer<T> x_, b_, product_;
};

template <class T>
SolveReport solve_as(const Run& run, const SolverOptions& options, const MatrixSource& source) {
  Workspaces<T> workspaces(run, options, source);
  SolveReport report;
  static_cast<MatrixFacts&>(report) = facts_of<T>(source);
  report.nonzeros = workspaces.problem().nonzeros;
  report.ranks = run.communicator.size();
  report.backend = run.place.backend->name();
  report.preconditioner = options.preconditioner;
  report.tolerance = options.tolerance;
  report.load_s = workspaces.load_s();
  report.setup_s = workspaces.setup_s();
  workspaces.each(
      [&](Workspace<T>& on, const Mode<T>& mode) {
        Solving<T>(run, options, workspaces.problem(), on, mode).solve_all(report);
      },
      [&](const Mode<T>& mode, const std::string& transport, const std::string& why) {
        if (options.any_mode) return;
        SolveOutlook outlook;
        outlook.mode = mode.name;
        outlook.transport = transport;
        outlook.refused = why;
        report.outlooks.push_back(outlook);
      });
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
