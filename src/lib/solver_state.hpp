// The state of spmv_dist::Solver, and what it has for each number of right-hand sides.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dist/solve/inner.hpp"
#include "dist/solve/solver.hpp"
#include "lib/callers_preconditioner.hpp"
#include "lib/hierarchy.hpp"
#include "lib/workspace.hpp"

namespace spmv::lib {

constexpr const char* no_inner = "none";

/// Iterations in single precision.
template <class T>
struct InnerIterations {
  std::unique_ptr<Workspace<SingleOf<T>>> on;
  std::unique_ptr<Preconditioner<SingleOf<T>>> preconditioner;
  std::unique_ptr<InnerSolver<T>> solver;
};

/// What solves so many right-hand sides side by side.
template <class T>
struct SideBySide {
  OwnWorkspace<T> on;
  std::shared_ptr<Preconditioner<T>> preconditioner;  // none where iterations are in single precision
  InnerIterations<T> inner;
  std::unique_ptr<ReadySolver<T>> ready;
  int made_of = -1;  // MatrixState::updates then

  /// Collective; throws AgreedError as make_workspace().
  SideBySide(MatrixState<T>& A, int columns) : on(A, columns) {}
};

template <class T>
struct SolverState {
  std::shared_ptr<MatrixState<T>> A;
  spmv_dist::SolveOptions options;
  std::map<int, SideBySide<T>> of_columns;            // by their number; always of 1
  std::shared_ptr<CallersPreconditioner<T>> callers;  // a function; nullptr: none
  std::shared_ptr<HierarchyState<T>> hierarchy;       // nullptr: none
  int checked = -1;      // MatrixState::updates when the matrix was found to be what the solver needs
  bool watched = false;  // by any rank

  SolverState(std::shared_ptr<MatrixState<T>> a, spmv_dist::SolveOptions o)
      : A(std::move(a)), options(std::move(o)) {}
  ~SolverState();
  SolverState(const SolverState&) = delete;
  SolverState& operator=(const SolverState&) = delete;
};

/// What solves as many right-hand sides as the matrix has columns now: makes the preconditioner of the present values, and the
/// solver with its vectors, unless they are there. Collective; throws AgreedError.
template <class T>
const SideBySide<T>& get_ready(SolverState<T>& state);

/// As Solver::preconditioner(). Local.
template <class T>
std::string preconditioner_of(const SolverState<T>& state);

}  // namespace spmv::lib
