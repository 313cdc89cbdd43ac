// The public Solver.
#include "dist/solve/solver.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "lib/guarded_watch.hpp"
#include "lib/translate.hpp"
#include "lib/workspace.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::lib {
namespace {

template <class T>
struct SolverState {
  std::shared_ptr<MatrixState<T>> A;
  spmv_dist::SolveOptions options;
  const SolverRow<T>* solver = nullptr;
  const PreconditionerRow<T>* row = nullptr;
  std::unique_ptr<Preconditioner<T>> preconditioner;
  int made_of = 0;       // MatrixState::updates then
  int checked = -1;      // MatrixState::updates when the matrix was found to be what the solver needs
  bool watched = false;  // by any rank

  SolverState(std::shared_ptr<MatrixState<T>> a, spmv_dist::SolveOptions o)
      : A(std::move(a)), options(std::move(o)) {}
  ~SolverState() {
    const Scope scope(*A->context->place.backend, A->threads);
    await_quietly(*A);
    preconditioner.reset();
  }
  SolverState(const SolverState&) = delete;
  SolverState& operator=(const SolverState&) = delete;
};

/// The diagonal as the rows that preconditioners are made of, with the caller's ids.
template <class T>
DistributedRows<T> diagonal_rows(const MatrixState<T>& A) {
  DistributedRows<T> rows{A.rows.shape, A.rows.rows, A.rows.cols, {}, {}, A.ids[1], A.ids[0]};
  Csr<T>& block = rows.block;
  block.rows = block.cols = static_cast<lidx>(A.diagonal.size());
  for (lidx i = 0; i < block.rows; ++i) {
    block.col.push_back(i);
    block.row_ptr.push_back(i + 1);
  }
  block.value = A.diagonal;
  return rows;
}

template <class T>
void make_preconditioner(SolverState<T>& state) {
  MatrixState<T>& A = *state.A;
  state.preconditioner.reset();
  A.context->communicator.together([&] {
    if (!A.not_finite.empty())
      throw Error(ExitCode::input,
                  fmt::format("the matrix has a value that is not finite, and no solver can work with it: {} "
                              "(counted from 1)",
                              A.not_finite));
  });
  state.preconditioner = state.row->make({*A.solver_workspace, diagonal_rows(A)});
  state.made_of = A.updates;
}

template <class T>
std::shared_ptr<SolverState<T>> new_solver(const std::shared_ptr<MatrixState<T>>& A,
                                           const spmv_dist::SolveOptions& options) {
  const Communicator& all = A->context->communicator;
  require_same(all, {{"the solver", options.solver},
                     {"the preconditioner", options.preconditioner},
                     {"the tolerance", fmt::format("{}", options.tolerance)},
                     {"most_iterations", fmt::format("{}", options.most_iterations)}});
  auto state = std::make_shared<SolverState<T>>(A, options);
  state->watched = !all.all_of(options.watch == nullptr);
  all.together([&] {
    require_complete(*A);
    state->solver = &pick(solvers<T>(), options.solver, "solver");
    state->row = &pick(preconditioners<T>(), options.preconditioner, "preconditioner");
    if (options.preconditioner != "none" && options.preconditioner != "jacobi")
      throw Error(ExitCode::usage,
                  fmt::format("preconditioner {} needs more of the matrix than its diagonal, which is "
                              "all that the library keeps: use none or jacobi",
                              options.preconditioner));
    if (!(options.tolerance >= 0) || options.most_iterations < 0)
      throw Error(ExitCode::usage,
                  fmt::format("tolerance is {} and most_iterations {}: neither may be negative",
                              options.tolerance, options.most_iterations));
  });
  Call<T> call(*A);
  if (A->solver_workspace == nullptr) A->solver_workspace = make_workspace(*A);
  make_preconditioner(*state);
  call.end();
  return state;
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
  A.context->communicator.together([&] { require_system(A, b, x); });
  Call<T> call(A);
  if (state.made_of != A.updates) make_preconditioner(state);
  b.fetch();
  x.fetch();
  spmv::SolveOptions options{state.options.tolerance, state.options.most_iterations};
  if (state.watched) options.watch = watch.function();
  options.check = state.checked != A.updates;
  options.row_ids = &A.ids[1];
  SolveResult result =
      spmv::solve(*state.solver, *A.solver_workspace, *state.preconditioner, x.data, b.data, options);
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
  const Communicator& all = A.context->communicator;
  all.together([&] {
    if (!A.rows.square())
      throw Error(ExitCode::usage,
                  fmt::format("the matrix has {} rows and {} columns, and solvers need a square one",
                              A.rows.shape.rows, A.rows.shape.cols));
  });
  TransportRequest request = A.options.dist.transport_request;
  request.earlier_trials = nullptr;  // those are of the halo
  const std::string& wanted = A.sums_transport.empty() ? A.options.transport : A.sums_transport;
  auto workspace = std::make_unique<Workspace<T>>(all, *A.matrix, *A.mode, wanted, request);
  A.sums_transport = workspace->sums_choice().name;
  return workspace;
}

SPMV_INSTANTIATE(make_workspace);

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
Solver<T>::Solver(Matrix<T>& A, const SolveOptions& options) {
  state_ = translated([&] { return spmv::lib::new_solver(Access::state<MatrixState<T>>(A), options); });
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
  watch.rethrow();
  return result;
}

SPMV_INSTANTIATE_CLASS(Solver);

}  // namespace spmv_dist
