/* Solvers: the interface of solve.hpp for C, and for Fortran through ISO_C_BINDING. That header says what everything does. */
#ifndef SPMV_DIST_SOLVE_H
#define SPMV_DIST_SOLVE_H

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

/* As SolveOptions in solve.hpp. Begin with spmv_dist_solve_options_init(). */
typedef struct spmv_dist_solve_options {
  const char* solver;
  const char* preconditioner;
  double tolerance;
  int most_iterations;
  /* Returns whether to stop; gets watch_data. May be null. */
  int (*watch)(int iterations, double residual, void* data);
  void* watch_data;
  /* Room of the caller's for |r| / |b| before every iteration and at the end. May be null. */
  double* history;
  int64_t history_room;
  int degree;
  int block_size;
  double largest_eigenvalue;
} spmv_dist_solve_options;

typedef struct spmv_dist_solve_result {
  int stop;
  int iterations;
  int restarts;
  double residual;
  double seconds;
  int64_t history_count; /* of all; the first history_room of them have been written */
  char reason[1024];     /* ends with 0 */
} spmv_dist_solve_result;

SPMV_DIST_EXPORT void spmv_dist_solve_options_init(spmv_dist_solve_options* options);

/* Improves the guess in x until it solves A x = b. A null pointer for `options` stands for the defaults. Returns 0 also where
 * it does not converge: then result->stop and result->reason say why. Collective. */
SPMV_DIST_EXPORT int spmv_dist_solve(spmv_dist_matrix* A, spmv_dist_vector* b, spmv_dist_vector* x,
                                     const spmv_dist_solve_options* options, spmv_dist_solve_result* result,
                                     spmv_dist_status* status);

#ifdef __cplusplus
}
#endif

#endif
