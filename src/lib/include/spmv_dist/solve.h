/* Solvers: the interface of solve.hpp for C, and for Fortran through ISO_C_BINDING. That header says what everything does.
 * Preconditioners that are functions, and what solvers of one's own are made of, are for C++ alone. */
#ifndef SPMV_DIST_SOLVE_H
#define SPMV_DIST_SOLVE_H

#include "spmv_dist/multivector.h"
#include "spmv_dist/spmv_dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a solve ended. */
enum {
  SPMV_DIST_STOP_CONVERGED = 0,
  SPMV_DIST_STOP_ITERATIONS = 1,
  SPMV_DIST_STOP_BROKE_DOWN = 2,
  SPMV_DIST_STOP_STAGNATED = 3,
  SPMV_DIST_STOP_NOT_FINITE = 4,
  SPMV_DIST_STOP_ASKED = 5
};

/* Its name, such as "broke_down"; empty for a number that is none of these. Static memory. Local. */
SPMV_DIST_EXPORT const char* spmv_dist_stop_name(int stop);

/* As SolveOptions in solve.hpp. Begin with spmv_dist_solve_options_init(). What it points to belongs to the caller; names are
 * copied, and `watch_data` and `history` must live until the last solve with these options ends. */
typedef struct spmv_dist_solve_options {
  const char* solver;
  const char* preconditioner;
  double tolerance;
  int max_iterations;
  /* Returns 0 to go on, anything else to stop; gets watch_data. May be null. */
  int (*watch)(int iterations, double residual, void* data);
  void* watch_data;
  /* Host memory of history_room numbers for |r| / |b| before every iteration and at the end, written by every solve.
   * May be null. */
  double* history;
  int64_t history_room;
  int degree;
  int block_size;
  double largest_eigenvalue;
  const char* inner; /* "none" or "float" */
} spmv_dist_solve_options;

/* As SolveResult in solve.hpp. */
typedef struct spmv_dist_solve_result {
  int stop; /* SPMV_DIST_STOP_... */
  int iterations;
  int restarts;
  double residual;
  double seconds;
  int64_t history_count; /* of all; the first history_room of them have been written */
  char reason[1024];     /* ends with 0; empty if it converged */
  int updates;           /* of x and the residual in double, with `inner` */
} spmv_dist_solve_result;

typedef struct spmv_dist_solver spmv_dist_solver;

SPMV_DIST_EXPORT void spmv_dist_solve_options_init(spmv_dist_solve_options* options);

/* Improves the guess in x until it solves A x = b. x and b are vectors of A without memory in common. A null pointer for
 * `options` stands for the defaults. Returns 0 also where it does not converge: then result->stop and result->reason say why.
 * Collective. */
SPMV_DIST_EXPORT int spmv_dist_solve(spmv_dist_matrix* A, spmv_dist_vector* b, spmv_dist_vector* x,
                                     const spmv_dist_solve_options* options, spmv_dist_solve_result* result,
                                     spmv_dist_status* status);

/* A Solver of solve.hpp, set up once for many right-hand sides. Its matrix may be freed before it. Collective. */
SPMV_DIST_EXPORT int spmv_dist_solver_create(spmv_dist_matrix* A, const spmv_dist_solve_options* options,
                                             spmv_dist_solver** solver, spmv_dist_status* status);
/* As spmv_dist_solve(), with the options that the solver was made with. Collective. */
SPMV_DIST_EXPORT int spmv_dist_solver_solve(spmv_dist_solver* solver, spmv_dist_vector* b,
                                            spmv_dist_vector* x, spmv_dist_solve_result* result,
                                            spmv_dist_status* status);
/* The same for every column of B, side by side: `results` has room for one of each column. Histories are counted, not written.
 * Collective. */
SPMV_DIST_EXPORT int spmv_dist_solver_solve_columns(spmv_dist_solver* solver, spmv_dist_multivector* B,
                                                    spmv_dist_multivector* X, spmv_dist_solve_result* results,
                                                    spmv_dist_status* status);
/* The preconditioner and what was chosen for it. Lives as long as the solver, or until the next call. Local. */
SPMV_DIST_EXPORT const char* spmv_dist_solver_preconditioner(spmv_dist_solver* solver);
SPMV_DIST_EXPORT void spmv_dist_solver_free(spmv_dist_solver* solver);

#ifdef __cplusplus
}
#endif

#endif
