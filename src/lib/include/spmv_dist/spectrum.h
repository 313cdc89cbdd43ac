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
  int which; /* SPMV_DIST_LOWEST or SPMV_DIST_HIGHEST */
  double tolerance;
  int subspace;
  int max_restarts;
  int copies; /* 0 or 1 */
  /* Returns 0 to go on, anything else to stop; gets watch_data. May be null. */
  int (*watch)(int products, double residual, void* data);
  void* watch_data;
} spmv_dist_eigen_options;

/* As EigenResult in spectrum.hpp. */
typedef struct spmv_dist_eigen_result {
  int stop;  /* SPMV_DIST_STOP_... */
  int found; /* eigenvalues: options->count, or 0 if a value was not finite */
  double norm;
  int subspace;
  int products;
  int restarts;
  double seconds;
  char reason[1024]; /* ends with 0 */
} spmv_dist_eigen_result;

SPMV_DIST_EXPORT void spmv_dist_eigen_options_init(spmv_dist_eigen_options* options);

/* Some of the lowest or highest eigenvalues. A null pointer for `options` stands for the defaults. `values`, `residuals` and
 * `vectors` are arrays of options->count elements of the caller's, of which result->found are written; residuals and vectors
 * may be null. Vectors are new ones: free each by spmv_dist_vector_free(). Returns 0 also where it does not converge: then
 * result->stop and result->reason say why. Collective. */
SPMV_DIST_EXPORT int spmv_dist_eigen(spmv_dist_matrix* A, const spmv_dist_eigen_options* options,
                                     double* values, double* residuals, spmv_dist_vector** vectors,
                                     spmv_dist_eigen_result* result, spmv_dist_status* status);

/* As MomentsOptions in spectrum.hpp. Begin with spmv_dist_moments_options_init(). */
typedef struct spmv_dist_moments_options {
  int moments;
  int vectors;
  unsigned seed;
  double bounds[2]; /* both 0: estimated */
  /* Returns 0 to go on, anything else to stop; gets watch_data. May be null. */
  int (*watch)(int64_t moments, void* data);
  void* watch_data;
} spmv_dist_moments_options;

/* As Moments in spectrum.hpp. */
typedef struct spmv_dist_moments_result {
  double bounds[2];
  int widened; /* whether these are wider than the bounds at first, which were too narrow */
  int vectors; /* start vectors */
  double norm;
  int products;
  double seconds;
  int moments; /* of each of them: options->moments, unless `watch` stopped it */
  int stop;    /* SPMV_DIST_STOP_CONVERGED or SPMV_DIST_STOP_ASKED */
} spmv_dist_moments_result;

SPMV_DIST_EXPORT void spmv_dist_moments_options_init(spmv_dist_moments_options* options);

/* `v`: the start vector; null for random ones. `moments` has room for options->moments numbers of each start vector, one vector
 * after the other. A null pointer for `options` stands for the defaults. Collective. */
SPMV_DIST_EXPORT int spmv_dist_moments(spmv_dist_matrix* A, spmv_dist_vector* v,
                                       const spmv_dist_moments_options* options, double* moments,
                                       spmv_dist_moments_result* result, spmv_dist_status* status);

/* The density of states at `energies` energies: arrays of the caller's of so many elements. `error` may be null, and is filled
 * with 0 if there is one start vector. `options` and `moments` are those of spmv_dist_moments(), `result` what it returned.
 * Local. */
SPMV_DIST_EXPORT int spmv_dist_density_of_states(const spmv_dist_moments_options* options,
                                                 const double* moments,
                                                 const spmv_dist_moments_result* result, int energies,
                                                 double* energy, double* density, double* error,
                                                 spmv_dist_status* status);

/* As EvolveOptions in spectrum.hpp. Begin with spmv_dist_evolve_options_init(). */
typedef struct spmv_dist_evolve_options {
  double tolerance;
  int imaginary_time; /* 0 or 1 */
  double bounds[2];   /* both 0: estimated */
  /* Returns 0 to go on, anything else to stop; gets watch_data. May be null. */
  int (*watch)(int64_t products, void* data);
  void* watch_data;
} spmv_dist_evolve_options;

/* As EvolveResult in spectrum.hpp. */
typedef struct spmv_dist_evolve_result {
  double bounds[2];
  int terms;
  int products;
  double norm_before;
  double norm_after;
  double seconds;
  int stop; /* SPMV_DIST_STOP_CONVERGED or SPMV_DIST_STOP_ASKED: x is as it was */
} spmv_dist_evolve_result;

SPMV_DIST_EXPORT void spmv_dist_evolve_options_init(spmv_dist_evolve_options* options);

/* x becomes exp(-i A t) x, or exp(-A t) x in imaginary time. A null pointer for `options` stands for the defaults. Collective. */
SPMV_DIST_EXPORT int spmv_dist_evolve(spmv_dist_matrix* A, spmv_dist_vector* x, double t,
                                      const spmv_dist_evolve_options* options,
                                      spmv_dist_evolve_result* result, spmv_dist_status* status);

#ifdef __cplusplus
}
#endif

#endif
