/* y = A x from C: a one-dimensional Laplacian with complex values, checked. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#include <spmv_dist/spmv_dist.h>

static void require(int code, const spmv_dist_status* status) {
  if (code == SPMV_DIST_OK) return;
  fprintf(stderr, "%s\n", status->message);
  MPI_Abort(MPI_COMM_WORLD, code);
}

int main(int argc, char** argv) {
  enum { per_rank = 1000 };
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t n = (int64_t)per_rank * ranks, first = (int64_t)per_rank * rank;

  int64_t row_ptr[per_rank + 1] = {0}, *columns = malloc(3 * per_rank * sizeof *columns);
  double complex *values = malloc(3 * per_rank * sizeof *values), x_mine[per_rank], y_mine[per_rank];
  int64_t elements = 0;
  for (int i = 0; i < per_rank; ++i) {
    for (int64_t column = first + i - 1; column <= first + i + 1; ++column) {
      if (column < 0 || column >= n) continue;
      columns[elements] = column;
      values[elements++] = column == first + i ? 2 * I : -I;
    }
    row_ptr[i + 1] = elements;
    x_mine[i] = (double)((first + i) * (first + i));
  }

  spmv_dist_status status;
  spmv_dist_context* context;
  require(spmv_dist_context_create(MPI_COMM_WORLD, NULL, &context, &status), &status);
  spmv_dist_rows rows;
  spmv_dist_rows_init(&rows);
  rows.global_rows = rows.global_cols = n;
  rows.rows = per_rank;
  rows.first_row = first;
  rows.row_ptr = row_ptr;
  rows.columns = columns;
  rows.values = values;
  rows.elements = elements;
  spmv_dist_matrix* A;
  require(spmv_dist_matrix_create(context, SPMV_DIST_COMPLEX_DOUBLE, &rows, "format=csr", &A, &status), &status);
  free(columns);
  free(values);

  spmv_dist_vector *x, *y;
  require(spmv_dist_vector_create(A, SPMV_DIST_X, &x, &status), &status);
  require(spmv_dist_vector_create(A, SPMV_DIST_Y, &y, &status), &status);
  require(spmv_dist_vector_set(x, x_mine, per_rank, &status), &status);
  require(spmv_dist_multiply(A, x, y, &status), &status);
  require(spmv_dist_vector_get(y, y_mine, per_rank, &status), &status);
  for (int i = 0; i < per_rank; ++i)
    if (first + i > 0 && first + i < n - 1 && cabs(y_mine[i] + 2 * I) > 1e-6) wrong = 1;

  spmv_dist_vector_free(x);
  spmv_dist_vector_free(y);
  spmv_dist_matrix_free(A);
  spmv_dist_context_free(context);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("version %s: %s\n", spmv_dist_version(), wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong;
}
