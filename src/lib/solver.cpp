// The public Solver.
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/solve/chebyshev_iteration.hpp"
#include "lib/guarded_watch.hpp"
#include "lib/solver_state.hpp"
#include "lib/translate.hpp"
#include "spmv_dist/hierarchy.hpp"
#include "spmv_dist/multivector.hpp"

namespace spmv::lib {
namespace {

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
                     {"inner", options.inner},
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

/// `kept`: whether the matrix has a copy in single precision. Throws Error(usage). Local.
void require_inner(const spmv_dist::SolveOptions& options, std::string_view given, bool kept) {
  if (options.inner == no_inner) return;
  if (options.inner != "float")
    throw Error(ExitCode::usage, fmt::format("inner is '{}', and may be none or float", options.inner));
  if (!kept)
    throw Error(ExitCode::usage,
                "iterations in single precision need a copy of the matrix: make it with option inner=float");
  if (given != no_preconditioner)
    throw Error(ExitCode::usage,
                fmt::format("iterations in single precision take a preconditioner by name, and {} was given: "
                            "leave inner out",
                            given));
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
    pick(solvers<T>(), options.solver, "solver");
    if (pick(preconditioners<T>(), options.preconditioner, "preconditioner").needs_all_values)
      throw Error(
          ExitCode::usage,
          fmt::format("preconditioner {} needs all values of the matrix, and a Matrix keeps those near "
                      "the diagonal: give the solver a Hierarchy, or use spmv_dist solve",
                      options.preconditioner));
    require_possible(options, given, A->options.largest_block);
    require_inner(options, given, A->options.inner);
    operator_of_solvers(*A);
    if (hierarchy != nullptr) require_hierarchy_of(*A, *hierarchy);
  });
  Call<T> call(*A);
  Workspace<T>& on = *state->of_columns.try_emplace(1, *A, 1).first->second.on;
  state->hierarchy = std::move(hierarchy);
  if (function != nullptr) state->callers = std::make_shared<CallersPreconditioner<T>>(*A, on, function);
  get_ready(*state);
  call.end();
  return state;
}

/// Local; throws Error(usage).
template <class T>
void require_system(const MatrixState<T>& A, const VectorState<T>& b, const VectorState<T>& x) {
  require_complete(A);
  const int columns = b.basis->columns;
  if (columns != x.basis->columns)
    throw Error(ExitCode::usage, fmt::format("b has {} columns and x {}: a system has as many of both",
                                             columns, x.basis->columns));
  const auto basis = basis_in_use(A, spmv_dist::Side::x, columns);
  if (b.basis != basis || x.basis != basis)
    throw Error(ExitCode::usage,
                columns > 1
                    ? "b or x is a MultiVector of another matrix: make them of this one"
                    : "b or x is a vector of another matrix: make them by make_x(), make_y() or view()");
  if (&b == &x || overlap(b.begin(), b.count(), x.begin(), x.count()))
    throw Error(ExitCode::usage,
                "b and x overlap in memory: give each memory of its own, that of the halo included");
}

static_assert(static_cast<int>(Stop::asked) == static_cast<int>(spmv_dist::Stop::asked),
              "both enumerations have the same order");

spmv_dist::SolveResult public_result(SolveResult&& result) {
  return {static_cast<spmv_dist::Stop>(result.stop),
          result.iterations,
          result.restarts,
          result.residual,
          std::move(result.history),
          result.seconds,
          std::move(result.reason),
          result.updates};
}

/// One result for each column.
template <class T>
std::vector<spmv_dist::SolveResult> solve_with(SolverState<T>& state, VectorState<T>& b, VectorState<T>& x,
                                               GuardedWatch<int, double>& watch) {
  MatrixState<T>& A = *state.A;
  require_same(A.context->communicator, {{"the number of columns", fmt::format("{}", b.basis->columns)}});
  A.context->communicator.together([&] {
    require_system(A, b, x);
    if (state.hierarchy != nullptr) require_hierarchy_of(A, *state.hierarchy);
  });
  if (state.callers != nullptr) state.callers->forget_throw();
  Call<T> call(A, b.basis->columns);
  const SideBySide<T>& with = get_ready(state);
  b.fetch();
  x.fetch();
  spmv::SolveOptions options{state.options.tolerance, state.options.max_iterations};
  if (state.watched) options.watch = watch.function();
  options.check = state.checked != A.updates;
  options.row_ids = &A.ids[1];
  std::vector<SolveResult> results = with.ready->solve_columns(elements_of(x), elements_of(b), options);
  state.checked = A.updates;
  x.bring();
  call.end();
  call.queue().synchronize();
  std::vector<spmv_dist::SolveResult> all;
  all.reserve(results.size());
  for (SolveResult& result : results) all.push_back(public_result(std::move(result)));
  return all;
}

}  // namespace
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

namespace {

/// Of vectors or multivectors. Throws what the caller's functions have thrown.
template <class T, class Handle>
std::vector<SolveResult> solve_with(const Solver<T>& solver, const Handle& b, Handle& x) {
  using State = spmv::lib::SolverState<T>;
  const auto state = translated([&] { return Access::state<State>(solver); });
  spmv::lib::GuardedWatch watch(state->options.watch);
  auto results = translated([&] {
    return spmv::lib::solve_with(*state, *Access::state<VectorState<T>>(b), *Access::state<VectorState<T>>(x),
                                 watch);
  });
  if (state->callers != nullptr) state->callers->rethrow();
  watch.rethrow();
  return results;
}

}  // namespace

template <class T>
SolveResult Solver<T>::solve(const Vector<T>& b, Vector<T>& x) {
  return std::move(solve_with(*this, b, x).front());
}

template <class T>
std::vector<SolveResult> Solver<T>::solve(const MultiVector<T>& B, MultiVector<T>& X) {
  return solve_with(*this, B, X);
}

SPMV_INSTANTIATE_CLASS(Solver);

}  // namespace spmv_dist
