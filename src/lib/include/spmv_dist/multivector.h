/* Several vectors at once: the interface of multivector.hpp for C, and for Fortran through ISO_C_BINDING. That header says what
 * everything does. */
#ifndef SPMV_DIST_MULTIVECTOR_H
#define SPMV_DIST_MULTIVECTOR_H

#include "spmv_dist/spmv_dist.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spmv_dist_multivector spmv_dist_multivector;

/* Zeros, of 1 to 32 columns. Free it with spmv_dist_multivector_free(), before or after its matrix. Collective. */
SPMV_DIST_EXPORT int spmv_dist_multivector_create(spmv_dist_matrix* A, int side, int columns,
                                                  spmv_dist_multivector** X, spmv_dist_status* status);
/* Waits for the work that is queued. A null pointer is nothing. Local. */
SPMV_DIST_EXPORT void spmv_dist_multivector_free(spmv_dist_multivector* X);

/* From and to the natural order, by rows: element i of column j is natural[i * columns + j]. `count`: this rank's elements of all
 * columns. Local. */
SPMV_DIST_EXPORT int spmv_dist_multivector_set(spmv_dist_multivector* X, const void* natural, int64_t count,
                                               spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multivector_get(const spmv_dist_multivector* X, void* natural, int64_t count,
                                               spmv_dist_status* status);
/* This rank's elements, in its basis, by rows; with backend cuda in device memory. Null if X is. Local. */
SPMV_DIST_EXPORT void* spmv_dist_multivector_data(spmv_dist_multivector* X);

/* Y = A X. Collective. The second returns when it is queued. */
SPMV_DIST_EXPORT int spmv_dist_multiply_columns(spmv_dist_matrix* A, spmv_dist_multivector* X,
                                                spmv_dist_multivector* Y, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multiply_columns_queued(spmv_dist_matrix* A, spmv_dist_multivector* X,
                                                       spmv_dist_multivector* Y, spmv_dist_status* status);

#ifdef __cplusplus
}
#endif

#endif
