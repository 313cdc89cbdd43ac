// Times products of the 27-point stencil on N x N x N points through the installed library, as the program
// spmv_dist does: runs of about 2 ms of products, the slowest rank of each run, the median.
//
//   mpirun -np 2 --bind-to none benchmark 128 "partition=metis format=ellpack_r mode=device transport=p2p"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <spmv_dist/spmv_dist.hpp>

namespace {

struct Block {
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
};

/// Rows [first, end) of the stencil: 26 on the diagonal, -1 to every neighbour.
Block stencil(std::int64_t n, std::int64_t first, std::int64_t end) {
  Block block;
  for (std::int64_t row = first; row < end; ++row) {
    const std::int64_t x = row % n, y = row / n % n, z = row / n / n;
    for (std::int64_t c = std::max<std::int64_t>(z - 1, 0); c <= std::min(z + 1, n - 1); ++c)
      for (std::int64_t b = std::max<std::int64_t>(y - 1, 0); b <= std::min(y + 1, n - 1); ++b)
        for (std::int64_t a = std::max<std::int64_t>(x - 1, 0); a <= std::min(x + 1, n - 1); ++a) {
          const std::int64_t column = (c * n + b) * n + a;
          block.columns.push_back(column);
          block.values.push_back(column == row ? 26 : -1);
        }
    block.row_ptr.push_back(static_cast<std::int64_t>(block.columns.size()));
  }
  return block;
}

/// The slowest rank's seconds per product, for `count` products in a row.
double time(spmv_dist::Matrix<double>& A, std::vector<spmv_dist::Vector<double>>& x,
            spmv_dist::Vector<double>& y, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < count; ++i) multiply_queued(A, x[static_cast<std::size_t>(i) % x.size()], y);
  A.synchronize();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds / count;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

int run(std::int64_t n, const char* options) {
  const spmv_dist::Context context(MPI_COMM_WORLD);
  const std::int64_t total = n * n * n, ranks = context.size(), rank = context.rank();
  const std::int64_t first = total * rank / ranks, end = total * (rank + 1) / ranks;
  const Block block = stencil(n, first, end);
  spmv_dist::Matrix<double> A(
      context, spmv_dist::rows_from(total, total, first, block.row_ptr, block.columns, block.values),
      spmv_dist::Options::parse(options));

  const std::vector<std::int64_t> ids = A.ids(spmv_dist::Side::x);
  std::vector<spmv_dist::Vector<double>> x;
  for (int i = 0; i < 3; ++i) {
    std::vector<double> elements;
    for (const std::int64_t id : ids) elements.push_back(static_cast<double>(id / n / n + i));
    x.push_back(A.make_x());
    x.back().set(elements);
  }
  auto y = A.make_y();

  std::vector<double> single, in_a_row;
  for (int i = 0; i < 10; ++i) single.push_back(time(A, x, y, 1));
  const int count = static_cast<int>(std::min(100.0, std::max(1.0, 2e-3 / median(single))));
  for (int i = 0; i < 60; ++i) in_a_row.push_back(time(A, x, y, count));

  // x is linear in z: except at the grid's surface the stencil gives 0.
  int wrong = 0;
  const std::vector<double> result = y.get();
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t at[] = {ids[i] % n, ids[i] / n % n, ids[i] / n / n};
    const bool inside = std::all_of(at, at + 3, [=](std::int64_t p) { return p > 0 && p < n - 1; });
    if (inside && std::abs(result[i]) > 1e-9 * static_cast<double>(n)) wrong = 1;
  }
  if (context.rank() == 0)
    std::printf("%s%.2f us per product\n", A.describe().c_str(), median(in_a_row) * 1e6);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;  // task mode's communication thread needs at least SERIALIZED
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = 0;
  try {
    status = run(argc > 1 ? std::atol(argv[1]) : 32, argc > 2 ? argv[2] : "");
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
