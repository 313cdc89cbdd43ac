#include "lib/solver_state.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "lib/preconditioner_by_columns.hpp"

namespace spmv::lib {
namespace {

/// A preconditioner of the table for 2^-k times the matrix as given, made of what is left of the values. Collective.
template <class V>
std::unique_ptr<Preconditioner<V>> make_of_table(const spmv_dist::SolveOptions& options, double bound, int k,
                                                 PreconditionerRequest<V> request) {
  request.degree = options.degree;
  request.largest = std::ldexp(options.largest_eigenvalue, -k);
  request.bound = std::ldexp(bound, -k);
  request.block_size = options.block_size;
  return pick(preconditioners<V>(), options.preconditioner, "preconditioner").make(request);
}

/// That of a caller's, for vectors; nullptr: none was given.
template <class T>
std::shared_ptr<Preconditioner<T>> given_preconditioner(const SolverState<T>& state) {
  if (state.callers != nullptr) return state.callers;
  if (state.hierarchy != nullptr) return {state.hierarchy, state.hierarchy->cycle.get()};
  return nullptr;
}

template <class T>
std::shared_ptr<Preconditioner<T>> make_preconditioner(const SolverState<T>& state, Workspace<T>& on) {
  MatrixState<T>& A = *state.A;
  auto given = given_preconditioner(state);
  if (given == nullptr) {
    const DistributedRows<T> rows = rows_near_diagonal(A);
    return make_of_table<T>(state.options, A.eigenvalue_bound, 0, {on, operator_of_solvers(A), rows});
  }
  if (on.columns() == 1) return given;
  return A.context->communicator.together(
      [&] { return std::make_shared<PreconditionerByColumns<T>>(A, *given); });
}

template <class T>
InnerIterations<T> make_inner(const SolverState<T>& state) {
  using S = SingleOf<T>;
  MatrixState<T>& A = *state.A;
  const Operator<S>& by = *A.inner->by;
  const Magnitudes& magnitudes = A.matrix->magnitudes();
  InnerIterations<T> made;
  made.on = make_inner_workspace(A);
  const DistributedRows<S> rows =
      A.context->communicator.together([&] { return rows_in_single(rows_near_diagonal(A), magnitudes); });
  made.preconditioner = make_of_table<S>(state.options, A.eigenvalue_bound, exponent_of_single(magnitudes),
                                         {*made.on, by, rows});
  made.solver = A.context->communicator.together([&] {
    return std::make_unique<InnerSolver<T>>(pick(solvers<S>(), state.options.solver, "solver"), *made.on, by,
                                            *made.preconditioner, operator_of_solvers(A));
  });
  return made;
}

}  // namespace

template <class T>
SolverState<T>::~SolverState() {
  const Scope scope(*A->context->place.backend, A->threads);
  await_quietly(*A);
  for (auto& [columns, each] : of_columns) {
    each.ready.reset();
    each.inner = {};
    each.preconditioner.reset();
  }
  callers.reset();
  hierarchy.reset();
  of_columns.clear();
}

template <class T>
const SideBySide<T>& get_ready(SolverState<T>& state) {
  MatrixState<T>& A = *state.A;
  const int columns = A.matrix->columns();
  SideBySide<T>& made = state.of_columns.try_emplace(columns, A, columns).first->second;
  if (made.made_of == A.updates) return made;
  made.ready.reset();
  made.inner = {};
  made.preconditioner.reset();
  const bool in_single = state.options.inner != no_inner;
  A.context->communicator.together([&] {
    if (in_single && columns > 1)
      throw Error(ExitCode::usage,
                  "iterations in single precision are for one right-hand side at a time: leave inner out");
    if (!A.not_finite.empty())
      throw Error(ExitCode::input,
                  fmt::format("the matrix has a value that is not finite, and no solver can work with it: {} "
                              "(counted from 1)",
                              A.not_finite));
  });
  if (in_single) {
    made.inner = make_inner(state);
    made.preconditioner = pick(preconditioners<T>(), "none", "preconditioner")
                              .make({*made.on, operator_of_solvers(A), rows_near_diagonal(A)});
  } else {
    made.preconditioner = make_preconditioner(state, *made.on);
  }
  made.ready =
      std::make_unique<ReadySolver<T>>(pick(solvers<T>(), state.options.solver, "solver"), *made.on,
                                       operator_of_solvers(A), *made.preconditioner, made.inner.solver.get());
  made.made_of = A.updates;
  return made;
}

template <class T>
std::string preconditioner_of(const SolverState<T>& state) {
  if (state.callers != nullptr) return "a function of the caller's";
  std::string text = state.hierarchy != nullptr ? "a hierarchy" : state.options.preconditioner;
  const SideBySide<T>& made = state.of_columns.at(1);
  // None is there after values that it could not be made of.
  const std::string choices = made.inner.preconditioner != nullptr ? made.inner.preconditioner->choices()
                              : made.preconditioner != nullptr     ? made.preconditioner->choices()
                                                                   : "";
  if (!choices.empty()) text += ", " + choices;
  if (made.inner.solver != nullptr)
    text +=
        fmt::format(", of 2^{} A in single precision", -exponent_of_single(state.A->matrix->magnitudes()));
  return text;
}

SPMV_INSTANTIATE_CLASS(SolverState);
SPMV_INSTANTIATE(get_ready);
SPMV_INSTANTIATE(preconditioner_of);

}  // namespace spmv::lib
