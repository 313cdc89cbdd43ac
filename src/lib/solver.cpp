// The public Solver.
#include "dist/solve/solver.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/solve/chebyshev_iteration.hpp"
#include "lib/callers_preconditioner.hpp"
#include "lib/guarded_watch.hpp"
#include "lib/hierarchy.hpp"
#include "lib/translate.hpp"
#include "lib/workspace.hpp"
#include "spmv_dist/hierarchy.hpp"

namespace spmv::lib {

template <class T>
DistributedRows<T> rows_near_diagonal(const MatrixState<T>& A) {
  return {A.rows.shape, A.rows.rows, A.rows.cols, A.near_diagonal, {}, A.ids[1], A.ids[0]};
}

namespace {

template <class T>
struct SolverState {
  std::shared_ptr<MatrixState<T>> A;
  spmv_dist::SolveOptions options;
  const SolverRow<T>* solver = nullptr;
  const PreconditionerRow<T>* row = nullptr;
  std::optional<OwnWorkspace<T>> on;
  std::shared_ptr<CallersPreconditioner<T>> callers;  // a function; nullptr: none
  std::shared_ptr<HierarchyState<T>> hierarchy;       // nullptr: none
  std::shared_ptr<Preconditioner<T>> preconditioner;
  std::unique_ptr<ReadySolver<T>> ready;
  int made_of = 0;       // MatrixState::updates then
  int checked = -1;      // MatrixState::updates when the matrix was found to be what the solver needs
  bool watched = false;  // by any rank

  SolverState(std::shared_ptr<MatrixState<T>> a, spmv_dist::SolveOptions o)
      : A(std::move(a)), options(std::move(o)) {}
  ~SolverState() {
    const Scope scope(*A->context->place.backend, A->threads);
    await_quietly(*A);
    ready.reset();
    preconditioner.reset();
    callers.reset();
    hierarchy.reset();
    on.reset();
  }
  SolverState(const SolverState&) = delete;
  SolverState& operator=(const SolverState&) = delete;
};

/// A preconditioner of the table, made of what is left of the values. Collective.
template <class T>
std::unique_ptr<Preconditioner<T>> make_of_table(const SolverState<T>& state) {
  const MatrixState<T>& A = *state.A;
  const DistributedRows<T> rows = rows_near_diagonal(A);
  PreconditionerRequest<T> request{**state.on, operator_of_solvers(*state.A), rows};
  request.degree = state.options.degree;
  request.largest = state.options.largest_eigenvalue;
  request.bound = A.eigenvalue_bound;
  request.block_size = state.options.block_size;
  return state.row->make(request);
}

/// Makes the preconditioner of the present values, and the solver with its vectors. Collective.
template <class T>
void get_ready(SolverState<T>& state) {
  MatrixState<T>& A = *state.A;
  state.ready.reset();
  state.preconditioner.reset();
  A.context->communicator.together([&] {
    if (!A.not_finite.empty())
      throw Error(ExitCode::input,
                  fmt::format("the matrix has a value that is not finite, and no solver can work with it: {} "
                              "(counted from 1)",
                              A.not_finite));
  });
  if (state.callers != nullptr)
    state.preconditioner = state.callers;
  else if (state.hierarchy != nullptr)
    state.preconditioner = {state.hierarchy, state.hierarchy->cycle.get()};
  else
    state.preconditioner = make_of_table(state);
  state.ready = std::make_unique<ReadySolver<T>>(*state.solver, **state.on, operator_of_solvers(A),
                                                 *state.preconditioner);
  state.made_of = A.updates;
}

constexpr std::string_view no_preconditioner = "none";

void require_same_solve(const Communicator& all, const spmv_dist::SolveOptions& options,
                        std::string_view given) {
  require_same(all, {{"the solver", options.solver},
                     {"the preconditioner", options.preconditioner},
                     {"the caller's preconditioner", std::string(given)},
                     {"the tolerance", fmt::format("{}", options.tolerance)},
                     {"max_iterations", fmt::format("{}", options.max_iterations)},
                     {"degree", fmt::format("{}", options.degree)},
                     {"block_size", fmt::format("{}", options.block_size)},
                     {"largest_eigenvalue", fmt::format("{}", options.largest_eigenvalue)}});
}

/// The options of preconditioners are checked whichever is named. Throws Error(usage). Local.
void require_possible(const spmv_dist::SolveOptions& options, std::string_view given, int largest_block) {
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance) || options.max_iterations < 0)
    throw Error(ExitCode::usage,
                fmt::format("tolerance is {} and max_iterations {}: both must be finite and not negative",
                            options.tolerance, options.max_iterations));
  if (given != no_preconditioner && options.preconditioner != no_preconditioner)
    throw Error(ExitCode::usage,
                fmt::format("preconditioner {} was named, and {} was given as well: leave one out",
                            options.preconditioner, given));
  if (options.degree < 1 || options.degree > most_degree)
    throw Error(ExitCode::usage, fmt::format("degree is {}, but preconditioner chebyshev takes 1 to {}",
                                             options.degree, most_degree));
  if (options.block_size < 1 || options.block_size > most_block_rows)
    throw Error(ExitCode::usage,
                fmt::format("block_size is {}, but preconditioner block_jacobi takes 1 to {}",
                            options.block_size, most_block_rows));
  if (options.preconditioner == "block_jacobi" && options.block_size > largest_block)
    throw Error(
        ExitCode::usage,
        fmt::format("block_size is {}, but of its values this matrix has kept those of blocks of {} rows "
                    "at most: make it with option largest_block={}",
                    options.block_size, largest_block, options.block_size));
  if (!(options.largest_eigenvalue >= 0) || !std::isfinite(options.largest_eigenvalue))
    throw Error(ExitCode::usage,
                fmt::format("largest_eigenvalue is {}: give a positive number, or 0 to have it estimated",
                            options.largest_eigenvalue));
}

/// `function` or `hierarchy` is used instead of a preconditioner of the table, if there is one.
template <class T>
std::shared_ptr<SolverState<T>> new_solver(
    const std::shared_ptr<MatrixState<T>>& A, const spmv_dist::SolveOptions& options,
    const typename spmv_dist::Solver<T>::PreconditionerFunction& function,
    std::shared_ptr<HierarchyState<T>> hierarchy) {
  const Communicator& all = A->context->communicator;
  const std::string_view given = function != nullptr    ? "a function"
                                 : hierarchy != nullptr ? "a hierarchy"
                                                        : no_preconditioner;
  require_same_solve(all, options, given);
  auto state = std::make_shared<SolverState<T>>(A, options);
  state->watched = !all.all_of(options.watch == nullptr);
  all.together([&] {
    require_complete(*A);
    state->solver = &pick(solvers<T>(), options.solver, "solver");
    state->row = &pick(preconditioners<T>(), options.preconditioner, "preconditioner");
    if (state->row->needs_all_values)
      throw Error(
          ExitCode::usage,
          fmt::format("preconditioner {} needs all values of the matrix, and a Matrix keeps those near "
                      "the diagonal: give the solver a Hierarchy, or use spmv_dist solve",
                      options.preconditioner));
    require_possible(options, given, A->options.largest_block);
    operator_of_solvers(*A);
    if (hierarchy != nullptr) require_hierarchy_of(*A, *hierarchy);
  });
  Call<T> call(*A);
  state->on.emplace(*A);
  state->hierarchy = std::move(hierarchy);
  if (function != nullptr)
    state->callers = std::make_shared<CallersPreconditioner<T>>(*A, **state->on, function);
  get_ready(*state);
  call.end();
  return state;
}

template <class T>
std::string preconditioner_of(const SolverState<T>& state) {
  if (state.callers != nullptr) return "a function of the caller's";
  const std::string name = state.hierarchy != nullptr ? "a hierarchy" : state.options.preconditioner;
  // None is there after values that it could not be made of.
  const std::string choices = state.preconditioner == nullptr ? "" : state.preconditioner->choices();
  return name + (choices.empty() ? "" : ", " + choices);
}

template <class T>
void require_system(const MatrixState<T>& A, const VectorState<T>& b, const VectorState<T>& x) {
  require_complete(A);
  if (b.basis != A.y || x.basis != A.x)
    throw Error(ExitCode::usage,
                "b or x is a vector of another matrix: make them by make_x(), make_y() or view()");
  if (&b == &x || overlap(b.begin(), b.count(), x.begin(), x.count()))
    throw Error(ExitCode::usage,
                "b and x overlap in memory: give each memory of its own, that of the halo included");
}

static_assert(static_cast<int>(Stop::asked) == static_cast<int>(spmv_dist::Stop::asked),
              "both enumerations have the same order");

template <class T>
spmv_dist::SolveResult solve_with(SolverState<T>& state, VectorState<T>& b, VectorState<T>& x,
                                  GuardedWatch& watch) {
  MatrixState<T>& A = *state.A;
  A.context->communicator.together([&] {
    require_system(A, b, x);
    if (state.hierarchy != nullptr) require_hierarchy_of(A, *state.hierarchy);
  });
  if (state.callers != nullptr) state.callers->forget_throw();
  Call<T> call(A);
  if (state.made_of != A.updates) get_ready(state);
  b.fetch();
  x.fetch();
  spmv::SolveOptions options{state.options.tolerance, state.options.max_iterations};
  if (state.watched) options.watch = watch.function();
  options.check = state.checked != A.updates;
  options.row_ids = &A.ids[1];
  SolveResult result = state.ready->solve(elements_of(x), elements_of(b), options);
  state.checked = A.updates;
  x.bring();
  call.end();
  call.queue().synchronize();
  return {static_cast<spmv_dist::Stop>(result.stop),
          result.iterations,
          result.restarts,
          result.residual,
          std::move(result.history),
          result.seconds,
          std::move(result.reason)};
}

}  // namespace

template <class T>
std::unique_ptr<Workspace<T>> make_workspace(MatrixState<T>& A) {
  TransportRequest request = A.options.dist.transport_request;
  request.earlier_trials = nullptr;  // those are of the halo
  const std::string& wanted = A.sums_transport.empty() ? A.options.transport : A.sums_transport;
  auto workspace = std::make_unique<Workspace<T>>(A.context->communicator, A.matrix->backend(),
                                                  A.matrix->compute_queue(), wanted, request);
  const std::vector<std::string> taken = workspace->sums_transports();
  if (taken.size() == 1) A.sums_transport = taken.front();
  return workspace;
}

template <class T>
void require_square(const MatrixState<T>& A) {
  if (!A.rows.square())
    throw Error(ExitCode::usage,
                fmt::format("the matrix has {} rows and {} columns, and solvers need a square one",
                            A.rows.shape.rows, A.rows.shape.cols));
}

template <class T>
const Operator<T>& operator_of_solvers(MatrixState<T>& A) {
  require_square(A);
  if (!A.normalised) A.normalised.emplace(*A.matrix, *A.mode, MatrixUnits::normalised);
  return *A.normalised;
}

template <class T>
const Operator<T>& operator_as_given(MatrixState<T>& A) {
  if (!A.as_given) A.as_given.emplace(*A.matrix, *A.mode, MatrixUnits::as_given);
  return *A.as_given;
}

SPMV_INSTANTIATE(rows_near_diagonal);
SPMV_INSTANTIATE(make_workspace);
SPMV_INSTANTIATE(require_square);
SPMV_INSTANTIATE(operator_of_solvers);
SPMV_INSTANTIATE(operator_as_given);

}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;
using spmv::lib::VectorState;

const char* to_string(Stop stop) {
  return spmv::to_string(static_cast<spmv::Stop>(stop));
}

template <class T>
Solver<T>::Solver(Matrix<T>& A, const SolveOptions& options, PreconditionerFunction preconditioner) {
  state_ = translated([&] {
    return spmv::lib::new_solver<T>(Access::state<MatrixState<T>>(A), options, preconditioner, nullptr);
  });
}

template <class T>
Solver<T>::Solver(Matrix<T>& A, const Hierarchy<T>& M, const SolveOptions& options) {
  state_ = translated([&] {
    return spmv::lib::new_solver<T>(Access::state<MatrixState<T>>(A), options, {},
                                    Access::state<spmv::lib::HierarchyState<T>>(M));
  });
}

template <class T>
std::string Solver<T>::preconditioner() const {
  return translated(
      [&] { return spmv::lib::preconditioner_of(*Access::state<spmv::lib::SolverState<T>>(*this)); });
}

template <class T>
SolveResult Solver<T>::solve(const Vector<T>& b, Vector<T>& x) {
  using State = spmv::lib::SolverState<T>;
  const auto state = translated([&] { return Access::state<State>(*this); });
  spmv::lib::GuardedWatch watch(state->options.watch);
  SolveResult result = translated([&] {
    return spmv::lib::solve_with(*state, *Access::state<VectorState<T>>(b), *Access::state<VectorState<T>>(x),
                                 watch);
  });
  if (state->callers != nullptr) state->callers->rethrow();
  watch.rethrow();
  return result;
}

SPMV_INSTANTIATE_CLASS(Solver);

}  // namespace spmv_dist
