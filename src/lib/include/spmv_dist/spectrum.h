/* Spectra: the interface of spectrum.hpp for C, and for Fortran through ISO_C_BINDING. That header says what everything does. */
#ifndef SPMV_DIST_SPECTRUM_H
#define SPMV_DIST_SPECTRUM_H

#include "spmv_dist/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which end of the spectrum. */
enum { SPMV_DIST_LOWEST = 0, SPMV_DIST_HIGHEST = 1 };

/* As EigenOptions in spectrum.hpp. Begin with spmv_dist_eigen_options_init(). */
typedef struct spmv_dist_eigen_options {
  int count;
  int which;
  double tolerance;
  int basis;
  int most_restarts;
  int copies;
  /* Returns whether to stop; gets watch_data. May be null. */
  int (*watch)(int products, double residual, void* data);
  void* watch_data;
} spmv_dist_eigen_options;

typedef struct spmv_dist_eigen_result {
  int stop;  /* SPMV_DIST_STOP_... */
  int found; /* eigenvalues: options->count, or 0 if a value was not finite */
  double norm;
  int basis;
  int products;
  int restarts;
  double seconds;
  char reason[1024]; /* ends with 0 */
} spmv_dist_eigen_result;

SPMV_DIST_EXPORT void spmv_dist_eigen_options_init(spmv_dist_eigen_options* options);

/* A null pointer for `options` stands for the defaults. `values`, `residuals` and `vectors` are arrays of options->count
 * elements of the caller's, of which result->found are written; residuals and vectors may be null. Vectors are new ones: free
 * each by spmv_dist_vector_free(). Returns 0 also where it does not converge: then result->stop and result->reason say why.
 * Collective. */
SPMV_DIST_EXPORT int spmv_dist_eigen(spmv_dist_matrix* A, const spmv_dist_eigen_options* options,
                                     double* values, double* residuals, spmv_dist_vector** vectors,
                                     spmv_dist_eigen_result* result, spmv_dist_status* status);

#ifdef __cplusplus
}
#endif

#endif
