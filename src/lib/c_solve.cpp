// solve.h, over the C++ interface.
#include <algorithm>
#include <string>
#include <variant>

#include "lib/c_handles.hpp"
#include "spmv_dist/solve.h"
#include "spmv_dist/solve.hpp"

namespace {

using namespace spmv_dist::c;

static_assert(SPMV_DIST_STOP_ASKED == static_cast<int>(spmv_dist::Stop::asked),
              "both enumerations have the same order");

spmv_dist::SolveOptions solve_options_of(const spmv_dist_solve_options& given) {
  spmv_dist::SolveOptions options;
  options.solver = &deref(given.solver, "options->solver");
  options.preconditioner = &deref(given.preconditioner, "options->preconditioner");
  options.tolerance = given.tolerance;
  options.max_iterations = given.max_iterations;
  options.degree = given.degree;
  options.block_size = given.block_size;
  options.largest_eigenvalue = given.largest_eigenvalue;
  options.inner = &deref(given.inner, "options->inner");
  if (given.watch != nullptr)
    options.watch = [watch = given.watch, data = given.watch_data](int iterations, double residual) {
      return watch(iterations, residual, data) != 0;
    };
  return options;
}

void hand_over(const spmv_dist::SolveResult& from, spmv_dist_solve_result& to) {
  to.stop = static_cast<int>(from.stop);
  to.iterations = from.iterations;
  to.restarts = from.restarts;
  to.residual = from.residual;
  to.seconds = from.seconds;
  to.updates = from.updates;
  to.history_count = static_cast<int64_t>(from.history.size());
  const std::size_t length = std::min(from.reason.size(), sizeof to.reason - 1);
  std::copy_n(from.reason.data(), length, to.reason);
  to.reason[length] = '\0';
}

void hand_over(const spmv_dist::SolveResult& from, const spmv_dist_solve_options& options,
               spmv_dist_solve_result& to) {
  hand_over(from, to);
  if (options.history != nullptr)
    std::copy_n(from.history.begin(), std::clamp(options.history_room, int64_t{0}, to.history_count),
                options.history);
}

spmv_dist_solve_options given_or_default(const spmv_dist_solve_options* options) {
  spmv_dist_solve_options given;
  spmv_dist_solve_options_init(&given);
  return options != nullptr ? *options : given;
}

}  // namespace

struct spmv_dist_solver {
  OfAnyType<spmv_dist::Solver> solver;
  spmv_dist_solve_options options;  // for the history
  std::string preconditioner;
};

const char* spmv_dist_stop_name(int stop) {
  return spmv_dist::to_string(static_cast<spmv_dist::Stop>(stop));
}

void spmv_dist_solve_options_init(spmv_dist_solve_options* options) {
  if (options == nullptr) return;
  const spmv_dist::SolveOptions defaults;
  *options = {
      "cg", "none",          defaults.tolerance,  defaults.max_iterations,     nullptr, nullptr, nullptr,
      0,    defaults.degree, defaults.block_size, defaults.largest_eigenvalue, "none"};
}

int spmv_dist_solve(spmv_dist_matrix* A, spmv_dist_vector* b, spmv_dist_vector* x,
                    const spmv_dist_solve_options* options, spmv_dist_solve_result* result,
                    spmv_dist_status* status) {
  const spmv_dist_solve_options given = given_or_default(options);
  return with_all(A, b, x, status,
                  [&](auto& m, auto& vb, auto& vx) {
                    spmv_dist_solve_result& out = deref(result, "result");
                    out = {};
                    hand_over(solve(m, vb, vx, solve_options_of(given)), given, out);
                  },
                  {"b", "x"});
}

int spmv_dist_solver_create(spmv_dist_matrix* A, const spmv_dist_solve_options* options,
                            spmv_dist_solver** solver, spmv_dist_status* status) {
  return guarded(status, [&] {
    deref(solver, "solver") = nullptr;
    const spmv_dist_solve_options given = given_or_default(options);
    *solver = std::visit(
        [&](auto& m) {
          using T = typename std::decay_t<decltype(m)>::Value;
          return new spmv_dist_solver{spmv_dist::Solver<T>(m, solve_options_of(given)), given, {}};
        },
        deref(A, "A").matrix);
  });
}

int spmv_dist_solver_solve(spmv_dist_solver* solver, spmv_dist_vector* b, spmv_dist_vector* x,
                           spmv_dist_solve_result* result, spmv_dist_status* status) {
  return guarded(status, [&] {
    spmv_dist_solver& handle = deref(solver, "solver");
    spmv_dist_solve_result& out = deref(result, "result");
    out = {};
    std::visit(
        [&](auto& of_type) {
          with_vectors<typename std::decay_t<decltype(of_type)>::Value>(
              deref(b, "b"), deref(x, "x"), {"b", "x"},
              [&](auto& vb, auto& vx) { hand_over(of_type.solve(vb, vx), handle.options, out); });
        },
        handle.solver);
  });
}

int spmv_dist_solver_solve_columns(spmv_dist_solver* solver, spmv_dist_multivector* B,
                                   spmv_dist_multivector* X, spmv_dist_solve_result* results,
                                   spmv_dist_status* status) {
  return guarded(status, [&] {
    spmv_dist_solve_result* out = &deref(results, "results");
    std::visit(
        [&](auto& of_type) {
          using T = typename std::decay_t<decltype(of_type)>::Value;
          for (const auto& result : of_type.solve(multivector_of<T>(B, "B"), multivector_of<T>(X, "X"))) {
            *out = {};
            hand_over(result, *out++);
          }
        },
        deref(solver, "solver").solver);
  });
}

const char* spmv_dist_solver_preconditioner(spmv_dist_solver* solver) {
  if (solver == nullptr) return "";
  solver->preconditioner = std::visit([](const auto& s) { return s.preconditioner(); }, solver->solver);
  return solver->preconditioner.c_str();
}

void spmv_dist_solver_free(spmv_dist_solver* solver) {
  delete solver;
}
