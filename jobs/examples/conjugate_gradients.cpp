// Conjugate gradients on a two-dimensional Laplacian that METIS partitions: products are queued, and vectors
// are in the products' memory and order. Elementwise work runs on the host, therefore option backend=host; on
// a GPU it would be your own kernels in the stream that you give to order_with().
#include <cmath>
#include <cstdio>
#include <vector>

#include <spmv_dist/spmv_dist.hpp>

namespace {

double dot(const spmv_dist::Vector<double>& a, const spmv_dist::Vector<double>& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// y = x + factor y
void add_scaled(const spmv_dist::Vector<double>& x, double factor, spmv_dist::Vector<double>& y) {
  for (std::int64_t i = 0; i < y.size(); ++i) y.data()[i] = x.data()[i] + factor * y.data()[i];
}

/// This rank's rows, dealt round robin, of a five-point stencil on side x side points.
struct Laplacian {
  std::vector<std::int64_t> ids, row_ptr{0}, columns;
  std::vector<double> values;

  Laplacian(std::int64_t side, int rank, int ranks) {
    for (std::int64_t id = rank; id < side * side; id += ranks) {
      const std::int64_t i = id / side, k = id % side;
      const auto add = [&](bool inside, std::int64_t column, double value) {
        if (!inside) return;
        columns.push_back(column);
        values.push_back(value);
      };
      add(true, id, 4);
      add(i > 0, id - side, -1);
      add(i + 1 < side, id + side, -1);
      add(k > 0, id - 1, -1);
      add(k + 1 < side, id + 1, -1);
      ids.push_back(id);
      row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
};

int solve() {
  const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "host"}});
  const std::int64_t side = 60;
  const Laplacian mine(side, context.rank(), context.size());
  spmv_dist::Rows<double> rows;
  rows.global_rows = rows.global_cols = side * side;
  rows.rows = static_cast<std::int64_t>(mine.ids.size());
  rows.row_ids = mine.ids.data();
  rows.row_ptr = mine.row_ptr.data();
  rows.columns = mine.columns.data();
  rows.values = mine.values.data();
  rows.elements = static_cast<std::int64_t>(mine.columns.size());
  spmv_dist::Matrix<double> A(context, rows, {{"partition", "metis"}, {"symmetry", "symmetric"}});

  auto x = A.make_x(), r = A.make_x(), p = A.make_x(), Ap = A.make_y();
  const std::vector<double> ones(static_cast<std::size_t>(A.size(spmv_dist::Side::y)), 1);
  r.set(ones);
  p.set(ones);
  double rr = dot(r, r);
  const double begin = std::sqrt(rr);
  int iterations = 0;
  for (; std::sqrt(rr) > 1e-10 * begin && iterations < 1000; ++iterations) {
    multiply_queued(A, p, Ap);
    A.synchronize();
    const double alpha = rr / dot(p, Ap);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.data()[i] += alpha * p.data()[i];
      r.data()[i] -= alpha * Ap.data()[i];
    }
    const double before = std::exchange(rr, dot(r, r));
    add_scaled(r, rr / before, p);
  }

  r.set(ones);  // the residual again, from x alone: r = b - A x
  multiply_add(-1.0, A, x, 1.0, r);
  const double residual = std::sqrt(dot(r, r)) / begin;
  if (context.rank() == 0) std::printf("%d iterations, residual %.1e\n", iterations, residual);
  return residual < 1e-9 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    status = solve();
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
