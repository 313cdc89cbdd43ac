// y = A x with your own rows: a one-dimensional Laplacian, timed and checked.
#include <cmath>
#include <cstdio>
#include <vector>

#include <spmv_dist/spmv_dist.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    const spmv_dist::Context context(MPI_COMM_WORLD);
    const long per_rank = 100000, n = per_rank * context.size(), first = per_rank * context.rank();

    std::vector<std::int64_t> row_ptr{0}, columns;
    std::vector<double> values, x_mine;
    for (long row = first; row < first + per_rank; ++row) {
      for (long column = row - 1; column <= row + 1; ++column) {
        if (column < 0 || column >= n) continue;
        columns.push_back(column);
        values.push_back(column == row ? 2 : -1);
      }
      row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
      x_mine.push_back(double(row) * double(row));  // its second difference is 2 in the interior
    }
    const auto rows = spmv_dist::rows_from(n, n, first, row_ptr, columns, values);
    spmv_dist::Matrix<double> A(context, rows);
    auto x = A.make_x(), y = A.make_y();
    x.set(x_mine);
    multiply(A, x, y);

    const int products = 1000;
    const double start = MPI_Wtime();
    for (int i = 0; i < products; ++i) multiply_queued(A, x, y);
    A.synchronize();
    const double seconds = (MPI_Wtime() - start) / products;

    const std::vector<double> result = y.get();
    for (long i = 0; i < per_rank; ++i)
      if (first + i > 0 && first + i < n - 1 && std::abs(result[i] + 2) > 1e-4) status = 1;
    if (context.rank() == 0) std::printf("%s%.2f us per product\n", A.describe().c_str(), seconds * 1e6);
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
