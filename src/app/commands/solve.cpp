// spmv_dist solve: A x = b, by every solver, mode and transport that the user wants.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/commands/solver_options.hpp"
#include "app/launch/end_request.hpp"
#include "app/launch/machine.hpp"
#include "app/options/option_names.hpp"
#include "app/report/matrix_report.hpp"
#include "app/report/solve_report.hpp"
#include "app/run/load.hpp"
#include "app/run/system_vectors.hpp"
#include "app/run/workspaces.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/solve/inner.hpp"
#include "dist/solve/solver.hpp"

namespace spmv {
namespace {

/// How far a solve is. Residuals fall by about the same factor in every iteration.
class SolveProgress {
 public:
  void take(int iterations, double residual) {
    if (first_ == 0) first_ = residual;
    iterations_ = iterations;
    residual_ = residual;
  }
  /// Of the iterations until the tolerance, or until the last that may be. Pure.
  double share(double tolerance, int max_iterations) const {
    const double to_go = std::log(first_ / tolerance), done = std::log(first_ / residual_);
    const double by_residual = to_go > 0 && done > 0 ? std::min(1.0, done / to_go) : 0;
    return std::max(by_residual, static_cast<double>(iterations_) / max_iterations);
  }

 private:
  double first_ = 0, residual_ = 0;
  int iterations_ = 0;
};

/// Vectors to measure with.
template <class T>
struct Sample {
  explicit Sample(const PreconditionerRequest<T>& of)
      : x(random_vector(of.on, of.A, 1)), y(of.A.make_vector()) {}
  Vector<T> x, y;
};

/// All solvers that the user wants, in one workspace.
template <class T>
class Solving {
 public:
  Solving(const Run& run, const SolverOptions& options, SystemVectors<T>& vectors, Workspaces<T>& workspaces,
          Workspace<T>& on, const Operator<T>& A, const WorkspaceFacts& facts)
      : run_(run),
        options_(options),
        vectors_(vectors),
        workspaces_(workspaces),
        on_(on),
        A_(A),
        facts_(facts),
        x_(A.make_vector()),
        b_(A.make_vector()) {
    to_device(vectors_.b(), b_);
  }

  /// Iterates in T, or in single precision.
  void solve_all(SolveReport& report) {
    if (options_.inner == no_inner) return solve_all_in<T>({on_, A_, workspaces_.problem().rows}, report);
    const InnerWorkspace<T>& inner = workspaces_.make_inner(options_.inner_format);
    facts_.inner_format =
        over_ranks(run_.communicator, inner.matrix->operators().blocks().front()->decision.format);
    solve_all_in<SingleOf<T>>({inner.ready->on, inner.ready->A, inner.rows}, report);
  }

 private:
  template <class U>
  void solve_all_in(PreconditionerRequest<U> wanted, SolveReport& report) {
    wanted.project_constant = options_.projects_constant();
    run_.watchdog.stage(fmt::format("making preconditioner {}", options_.preconditioner));
    const auto preconditioner = preconditioner_of(wanted);
    report.preconditioner = options_.preconditioner;
    if (const std::string choices = preconditioner->choices(); !choices.empty())
      report.preconditioner += ", " + choices;
    for (const std::string& name : options_.solvers) {
      report.outlooks.push_back(solve_with(pick(solvers<U>(), name, "solver"), wanted, *preconditioner));
      report.incomplete = ended_while(run_, stage_);
      if (!report.incomplete.empty()) return;
    }
  }

  template <class U>
  std::unique_ptr<Preconditioner<U>> preconditioner_of(const PreconditionerRequest<U>& request) const {
    try {
      return make_preconditioner(options_, request);
    } catch (const AgreedError& error) {
      if (error.code() != ExitCode::input) throw;
      const bool singular = !request.project_constant && maps_constants_to_zero(request.on, request.A);
      throw AgreedError(error.code(), std::string(error.what()) +
                                          (singular ? ": see --nullspace" : "; see --preconditioner"));
    }
  }

  template <class U>
  SolveOutlook solve_with(const SolverRow<U>& solver, const PreconditionerRequest<U>& of,
                          Preconditioner<U>& preconditioner) {
    const EndRequest::Heeded heeded(run_.end_request);
    auto outlook = outlook_of<SolveOutlook>(facts_);
    outlook.solver = solver.name;
    std::vector<double> times;
    for (int time = 0; time < options_.times && (time == 0 || run_.ended_by() == 0); ++time) {
      outlook.take(solve_once(solver, of, preconditioner));
      times.push_back(run_.communicator.max(seconds_of_an_iteration(outlook.result)));
    }
    outlook.times = static_cast<int>(times.size());
    outlook.an_iteration_s = median(times);
    outlook.interval = median_interval(times);
    const std::vector<T> x = natural_elements(on_, A_, x_);
    if (outlook.result.stop != Stop::converged) vectors_.write_checkpoint(x);
    vectors_.write_first(x);
    if (!options_.projects_constant()) outlook.error = vectors_.error_of(x);
    if (run_.ended_by() == 0 && outlook.an_iteration_s > 0) {
      measure_parts(solver, of, outlook);
      measure_preconditioner(of, preconditioner, outlook);
    }
    return outlook;
  }

  /// From the guess.
  template <class U>
  std::vector<SolveResult> solve_once(const SolverRow<U>& solver, const PreconditionerRequest<U>& of,
                                      Preconditioner<U>& preconditioner) {
    stage_ = fmt::format("solving with {} in mode {}", solver.name, facts_.mode);
    run_.watchdog.stage(stage_);
    progress_ = {};
    before_s_ = vectors_.checkpoints_s();
    start_from_guess();
    std::vector<SolveResult> results = solve(solver, of, preconditioner, solve_options());
    for (SolveResult& result : results)
      if (result.maps_constants) result.reason += ": see --nullspace";
    return results;
  }

  template <class U>
  std::vector<SolveResult> solve(const SolverRow<U>& solver, const PreconditionerRequest<U>& of,
                                 Preconditioner<U>& preconditioner, const SolveOptions& options) {
    if constexpr (std::is_same_v<T, U>) {
      return ReadySolver<T>(solver, on_, A_, preconditioner).solve_columns(x_, b_, options);
    } else {
      const auto inner = run_.communicator.together(
          [&] { return std::make_unique<InnerSolver<T>>(solver, of.on, of.A, preconditioner, A_); });
      const auto none =
          pick(preconditioners<T>(), "none", "preconditioner").make({on_, A_, workspaces_.problem().rows});
      return ReadySolver<T>(pick(solvers<T>(), solver.name, "solver"), on_, A_, *none, inner.get())
          .solve_columns(x_, b_, options);
    }
  }

  double seconds_of_an_iteration(const SolveResult& result) const {
    const double seconds = result.seconds - (vectors_.checkpoints_s() - before_s_);
    const double iterations = static_cast<double>(result.history.size()) - 1;
    return iterations > 0 ? seconds / iterations : 0;
  }

  template <class U>
  void measure_parts(const SolverRow<U>& solver, const PreconditionerRequest<U>& of, SolveOutlook& outlook) {
    const Communicator& communicator = run_.communicator;
    const double product = solver.products * moved_bytes(of.A.matrix());
    const double vectors = 1.0 * solver.passes * of.A.elements() * sizeof(U);
    outlook.bytes = communicator.sum(product + vectors);
    const double bandwidth = workspaces_.bandwidth().copy;  // of this rank's memory, in bytes per second
    outlook.product_bound_s = communicator.max(product / bandwidth);
    outlook.vectors_bound_s = communicator.max(vectors / bandwidth);
    run_.watchdog.stage("measuring the parts of an iteration", {.quiet = true});
    const Sample<U> sample(of);
    outlook.product_s = time_of(of.on, [&] { of.on.multiply(of.A, sample.x, sample.y); }) * solver.products;
    outlook.sums_s = communicator.size() == 1 ? 0 : seconds_of_sums(solver, of, sample, outlook.product_s);
  }

  template <class U>
  void measure_preconditioner(const PreconditionerRequest<U>& of, Preconditioner<U>& m,
                              SolveOutlook& outlook) {
    if (m.is_identity()) return;
    const Sample<U> sample(of);
    outlook.preconditioner_s = time_of(of.on, [&] { m.apply(sample.x, sample.y); });
    for (const auto& part : m.timed_work())
      outlook.preconditioner_parts.emplace_back(part.name, time_of(of.on, part.queue));
  }

  /// Hidden sums count with what they add to the products.
  template <class U>
  double seconds_of_sums(const SolverRow<U>& solver, const PreconditionerRequest<U>& of,
                         const Sample<U>& sample, double products_s) {
    if (!solver.hides_sums) return time_of(of.on, [&] { of.on.add_up(); }) * solver.sums;
    const double both = time_of(of.on, [&] {
      of.on.start_adding_up();
      of.on.multiply(of.A, sample.x, sample.y);
      of.on.finish_adding_up();
    });
    return std::max(0.0, both * solver.products - products_s);
  }

  void start_from_guess() {
    if (vectors_.guess().empty())
      on_.queue().fill(x_.data(), 0, x_.bytes());
    else
      to_device(vectors_.guess(), x_);
  }

  void to_device(const std::vector<T>& natural, const Vector<T>& vector) {
    upload(on_.backend(), vector, A_.matrix().to_basis(natural));
  }

  SolveOptions solve_options() {
    SolveOptions options;
    options.tolerance = options_.tolerance;
    options.max_iterations = options_.max_iterations;
    options.project_constant = options_.projects_constant();
    options.row_ids = &vectors_.row_ids();
    options.watch = [this](int iterations, double residual) {
      show(iterations, residual);
      if (vectors_.is_checkpoint_due()) {
        vectors_.write_checkpoint(natural_elements(on_, A_, x_));
        run_.watchdog.stage(stage_);
      }
      return run_.end_request.signal() != 0;
    };
    return options;
  }

  void show(int iterations, double residual) {
    progress_.take(iterations, residual);
    run_.watchdog.stage(stage_,
                        {.share = progress_.share(options_.tolerance, options_.max_iterations),
                         .detail = fmt::format("iteration {}, residual {:.1e}", iterations, residual)});
  }

  const Run& run_;
  const SolverOptions& options_;
  SystemVectors<T>& vectors_;
  Workspaces<T>& workspaces_;
  Workspace<T>& on_;
  const Operator<T>& A_;
  WorkspaceFacts facts_;
  Vector<T> x_, b_;
  std::string stage_;
  SolveProgress progress_;  // of the column that is farthest
  double before_s_ = 0;     // that checkpoints had taken before this solve
};

template <class T>
SolveReport solve_as(const Run& run, SolverOptions options, const MatrixSource& source) {
  if (options.inner != no_inner && std::is_same_v<T, SingleOf<T>>)
    throw AgreedError(
        ExitCode::usage,
        fmt::format(
            "--inner {} is for values in double precision, and these are {}: leave it out, or see --value",
            options.inner, value_name<T>()));
  options.tolerance = tolerance_for<T>(options.tolerance);
  SolveReport report;
  begin_head(run, report);
  Workspaces<T> workspaces(run, options, source, report);
  SystemVectors<T> vectors(run, options, workspaces);
  report.preconditioner = options.preconditioner;
  report.tolerance = options.tolerance;
  workspaces.each(
      [&](Workspace<T>& on, const Operator<T>& A, const WorkspaceFacts& facts) {
        Solving<T>(run, options, vectors, workspaces, on, A, facts).solve_all(report);
      },
      [&](const WorkspaceFacts& facts) { report.outlooks.push_back(outlook_of<SolveOutlook>(facts)); });
  return report;
}

/// How many columns there are if the user has not said so. Collective; throws AgreedError.
int columns_of(const Session& session, const SolverOptions& options) {
  if (options.columns != by_right_hand_sides) return options.columns;
  if (options.read_b.empty()) return 1;
  const gidx columns = find_file(session.communicator, options.read_b).shape.cols;
  if (columns >= 1 && columns <= most_columns) return static_cast<int>(columns);
  throw AgreedError(ExitCode::input, fmt::format("{} has {} columns: 1 to {} can be solved side by side",
                                                 printable(options.read_b), columns, most_columns));
}

ExitCode run_solve(const Session& session, const SolverOptions& named) {
  SolverOptions options = named;
  options.columns = columns_of(session, options);
  const Place place = prepare_machine(session.communicator, options.backend);
  const Run run{session, place, options};
  const SolveReport report = with_matrix(session, options, [&](auto tag, const MatrixSource& source) {
    return solve_as<typename decltype(tag)::Type>(run, options, source);
  });
  return conclude(session, report, verdict(session, report.incomplete, report.solved()));
}

}  // namespace

std::unique_ptr<Command> declare_solve(CLI::App& app) {
  return command<SolverOptions, run_solve>(app);
}

}  // namespace spmv
