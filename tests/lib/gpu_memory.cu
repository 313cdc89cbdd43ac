// The library with all of the caller's data in device memory: rows, vectors, and a stream of the caller's.
// Skipped (exit code 77) if a rank has no GPU.
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>
#include <spmv_dist/spmv_dist.hpp>

namespace {

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(status));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

template <class T>
T* on_device(const std::vector<T>& elements) {
  T* at = nullptr;
  check(cudaMalloc(&at, elements.size() * sizeof(T)), "allocate");
  check(cudaMemcpy(at, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  return at;
}

/// Element `row` of A x for the 1D Laplacian and x = id^2 + shift.
double expected(std::int64_t row, std::int64_t n, double shift) {
  const auto x = [=](std::int64_t id) { return static_cast<double>(id) * static_cast<double>(id) + shift; };
  return 2 * x(row) - (row > 0 ? x(row - 1) : 0) - (row < n - 1 ? x(row + 1) : 0);
}

int run(const char* options) {
  const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "cuda"}, {"device", "current"}});
  const std::int64_t per_rank = 50000, n = per_rank * context.size(), first = per_rank * context.rank();
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
  for (std::int64_t row = first; row < first + per_rank; ++row) {
    for (std::int64_t column = row - 1; column <= row + 1; ++column) {
      if (column < 0 || column >= n) continue;
      columns.push_back(column);
      values.push_back(column == row ? 2 : -1);
    }
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  spmv_dist::Rows<double> rows;
  rows.global_rows = rows.global_cols = n;
  rows.first_row = first;
  rows.rows = per_rank;
  rows.row_ptr = on_device(row_ptr);
  rows.columns = on_device(columns);
  rows.values = on_device(values);
  rows.elements = static_cast<std::int64_t>(columns.size());
  spmv_dist::Matrix<double> A(context, rows, spmv_dist::Options::parse(options));

  // Vectors in our memory, in the rank's basis; a vector of the library converts to and from it.
  auto converter = A.make_x();
  std::vector<double> natural(static_cast<std::size_t>(per_rank));
  double* x_memory = nullptr;
  double* y_memory = nullptr;
  check(cudaMalloc(&x_memory, static_cast<std::size_t>(A.capacity(spmv_dist::Side::x)) * sizeof(double)),
        "allocate");
  check(cudaMalloc(&y_memory, static_cast<std::size_t>(A.capacity(spmv_dist::Side::y)) * sizeof(double)),
        "allocate");
  auto x = A.view(spmv_dist::Side::x, x_memory, A.capacity(spmv_dist::Side::x));
  auto y = A.view(spmv_dist::Side::y, y_memory, A.capacity(spmv_dist::Side::y));
  if (x.is_copied() || y.is_copied()) {
    std::fprintf(stderr, "views of device memory are copied\n");
    return 1;
  }

  // Our stream writes x and reads y; only the stream orders them with the product.
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  A.order_with(stream);
  double* pinned = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(per_rank) * sizeof(double);
  check(cudaMallocHost(&pinned, 2 * bytes), "allocate pinned memory");
  double* const result = pinned + per_rank;
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::int64_t i = 0; i < per_rank; ++i)
      natural[i] = static_cast<double>(first + i) * static_cast<double>(first + i) + round;
    converter.set(natural);
    check(cudaMemcpy(pinned, converter.data(), bytes, cudaMemcpyDeviceToHost), "read the basis");
    check(cudaMemsetAsync(y_memory, 0xff, bytes, stream), "poison y");
    check(cudaMemcpyAsync(x_memory, pinned, bytes, cudaMemcpyHostToDevice, stream), "bring x");
    multiply_queued(A, x, y);
    check(cudaMemcpyAsync(result, y_memory, bytes, cudaMemcpyDeviceToHost, stream), "take y");
    check(cudaStreamSynchronize(stream), "wait for the stream");
    check(cudaMemcpy(converter.data(), result, bytes, cudaMemcpyHostToDevice), "write the basis");
    natural = converter.get();
    for (std::int64_t i = 0; i < per_rank; ++i) {
      const double right = expected(first + i, n, round);
      if (!(std::abs(natural[i] - right) <= 1e-15 * 8 * static_cast<double>(n) * static_cast<double>(n)))
        ++wrong;
    }
  }
  // The library converts device memory to the natural order and back.
  std::vector<double> host(static_cast<std::size_t>(per_rank), 1.0);
  auto own = A.make_x();
  own.set(on_device(host), per_rank);
  if (own.get() != host) ++wrong;
  A.order_with_none();
  auto beside = A.view(spmv_dist::Side::y, x_memory + 1, per_rank);
  try {
    multiply(A, x, beside);
    ++wrong;
  } catch (const spmv_dist::Error& error) {
    wrong += error.code() != spmv_dist::Code::usage;
  }
  if (wrong > 0) std::fprintf(stderr, "rank %d, %s: %d wrong\n", context.rank(), options, wrong);
  return wrong > 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int devices = 0, least = 0, status = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  MPI_Allreduce(&devices, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (least == 0) {
    std::puts("skipped: a rank has no GPU");
    MPI_Finalize();
    return 77;
  }
  check(cudaSetDevice(rank % devices), "choose the device");
  try {
    for (const char* options :
         {"format=csr mode=vector transport=staged", "format=csr mode=task layout=split",
          "format=csr mode=task layout=parted", "format=csr mode=device", "format=csr"})
      status = status + run(options) > 0;
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
