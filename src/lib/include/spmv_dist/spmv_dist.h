/* Distributed sparse matrix-vector products: the interface of spmv_dist.hpp for C, and for Fortran through
 * ISO_C_BINDING. That header says what everything does; here is only what differs.
 *
 * Every function returns 0, or one of the codes below, and then leaves a message that names the cause and the
 * fix in *status, which belongs to the caller and may be a null pointer. Handles are freed by the functions
 * that end in _free, which are Collective for contexts, matrices and solvers, and take null pointers. Values are
 * of one of four types, named when a matrix is made; pointers to them are const void* or void*. Options are texts such
 * as "mode=task format=pjds", or null. Vectors belong to the type of their matrix.
 */
#ifndef SPMV_DIST_H
#define SPMV_DIST_H

#include <mpi.h>
#include <stdint.h>

#include "spmv_dist/abi_mpi.h"
#include "spmv_dist/export.h"
#include "spmv_dist/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of failure it was. */
enum {
  SPMV_DIST_OK = 0,
  SPMV_DIST_INTERNAL = 1,    /* a bug, or a failed call of MPI or CUDA */
  SPMV_DIST_USAGE = 2,       /* an unknown option, or a call that makes no sense */
  SPMV_DIST_INPUT = 4,       /* the matrix is not what it should be */
  SPMV_DIST_ENVIRONMENT = 5, /* no usable GPU, or nothing that can move the halo */
  SPMV_DIST_TIMEOUT = 7,     /* no progress */
  SPMV_DIST_MEMORY = 8       /* does not fit the host or the GPU */
};

/* Value types. */
enum {
  SPMV_DIST_FLOAT = 0,
  SPMV_DIST_DOUBLE = 1,
  SPMV_DIST_COMPLEX_FLOAT = 2, /* pairs of real and imaginary part, as float _Complex */
  SPMV_DIST_COMPLEX_DOUBLE = 3
};

/* The vector that a map or a conversion belongs to. */
enum { SPMV_DIST_X = 0, SPMV_DIST_Y = 1 };

/* Where an array lies. */
enum { SPMV_DIST_AUTOMATIC = 0, SPMV_DIST_HOST = 1, SPMV_DIST_DEVICE = 2 };

/* The last failure, for whoever holds the struct. */
typedef struct spmv_dist_status {
  int code;
  char message[2044]; /* ends with 0 */
} spmv_dist_status;

/* As Rows in spmv_dist.hpp. Begin with spmv_dist_rows_init(). */
typedef struct spmv_dist_rows {
  int64_t global_rows;
  int64_t global_cols;
  int64_t rows;
  int64_t first_row;
  const int64_t* row_ids;
  const int64_t* row_ptr;
  const int64_t* columns;
  const void* values;
  int64_t elements;
  int64_t x_size;
  int64_t first_x;
  const int64_t* x_ids;
  int64_t where;
} spmv_dist_rows;

typedef struct spmv_dist_context spmv_dist_context;
typedef struct spmv_dist_matrix spmv_dist_matrix;
typedef struct spmv_dist_vector spmv_dist_vector;

SPMV_DIST_EXPORT const char* spmv_dist_version(void);
SPMV_DIST_EXPORT void spmv_dist_rows_init(spmv_dist_rows* rows);

SPMV_DIST_EXPORT int spmv_dist_context_create(MPI_Comm communicator, const char* options,
                                              spmv_dist_context** context, spmv_dist_status* status);
/* The same for a communicator of Fortran's, an integer or comm%MPI_VAL. */
SPMV_DIST_EXPORT int spmv_dist_context_create_fortran(MPI_Fint communicator, const char* options,
                                                      spmv_dist_context** context, spmv_dist_status* status);
SPMV_DIST_EXPORT void spmv_dist_context_free(spmv_dist_context* context);

SPMV_DIST_EXPORT int spmv_dist_matrix_create(const spmv_dist_context* context, int value_type,
                                             const spmv_dist_rows* rows, const char* options,
                                             spmv_dist_matrix** matrix, spmv_dist_status* status);
/* Of rows that the library loads, an even share on each rank: of a Matrix Market or .spmv file, or of a generator such as
 * "stencil27:96,96,96". See LoadedRows in spmv_dist.hpp. */
SPMV_DIST_EXPORT int spmv_dist_matrix_read(const spmv_dist_context* context, int value_type, const char* path,
                                           const char* options, spmv_dist_matrix** matrix,
                                           spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_generate(const spmv_dist_context* context, int value_type,
                                               const char* specification, const char* options,
                                               spmv_dist_matrix** matrix, spmv_dist_status* status);
SPMV_DIST_EXPORT void spmv_dist_matrix_free(spmv_dist_matrix* matrix);
/* Elements of x or y on this rank, and with the room for the halo; -1 for a null pointer. */
SPMV_DIST_EXPORT int64_t spmv_dist_matrix_size(const spmv_dist_matrix* matrix, int side);
SPMV_DIST_EXPORT int64_t spmv_dist_matrix_capacity(const spmv_dist_matrix* matrix, int side);
/* Writes spmv_dist_matrix_size() ids; `count` is the length of `ids`. */
SPMV_DIST_EXPORT int spmv_dist_matrix_ids(const spmv_dist_matrix* matrix, int side, int64_t* ids,
                                          int64_t count, spmv_dist_status* status);
/* Between the distributions of the caller and of the matrix, in host memory; both counts are lengths. */
SPMV_DIST_EXPORT int spmv_dist_matrix_to_matrix(const spmv_dist_matrix* matrix, int side, const void* callers,
                                                int64_t callers_count, void* matrixs, int64_t matrixs_count,
                                                spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_to_caller(const spmv_dist_matrix* matrix, int side, const void* matrixs,
                                                int64_t matrixs_count, void* callers, int64_t callers_count,
                                                spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_update_values(spmv_dist_matrix* matrix, const void* values,
                                                    int64_t count, int where, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_order_with(spmv_dist_matrix* matrix, void* cuda_stream,
                                                 spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_order_with_none(spmv_dist_matrix* matrix, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_matrix_synchronize(spmv_dist_matrix* matrix, spmv_dist_status* status);
/* What was chosen and why. Lives as long as the matrix. */
SPMV_DIST_EXPORT const char* spmv_dist_matrix_describe(spmv_dist_matrix* matrix);

SPMV_DIST_EXPORT int spmv_dist_vector_create(const spmv_dist_matrix* matrix, int side,
                                             spmv_dist_vector** vector, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_vector_view(const spmv_dist_matrix* matrix, int side, void* at, int64_t count,
                                           spmv_dist_vector** vector, spmv_dist_status* status);
SPMV_DIST_EXPORT void spmv_dist_vector_free(spmv_dist_vector* vector);
SPMV_DIST_EXPORT int spmv_dist_vector_set(spmv_dist_vector* vector, const void* natural, int64_t count,
                                          spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_vector_get(const spmv_dist_vector* vector, void* natural, int64_t count,
                                          spmv_dist_status* status);
SPMV_DIST_EXPORT void* spmv_dist_vector_data(spmv_dist_vector* vector);

SPMV_DIST_EXPORT int spmv_dist_multiply(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                                        spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multiply_queued(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                                               spmv_dist_status* status);
/* alpha and beta point to a value each. */
SPMV_DIST_EXPORT int spmv_dist_multiply_add(const void* alpha, spmv_dist_matrix* A, spmv_dist_vector* x,
                                            const void* beta, spmv_dist_vector* y, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multiply_add_queued(const void* alpha, spmv_dist_matrix* A,
                                                   spmv_dist_vector* x, const void* beta, spmv_dist_vector* y,
                                                   spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multiply_transposed(spmv_dist_matrix* A, spmv_dist_vector* x,
                                                   spmv_dist_vector* y, spmv_dist_status* status);
SPMV_DIST_EXPORT int spmv_dist_multiply_adjoint(spmv_dist_matrix* A, spmv_dist_vector* x, spmv_dist_vector* y,
                                                spmv_dist_status* status);

#ifdef __cplusplus
}
#endif

#endif
