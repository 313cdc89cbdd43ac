// Multiplies through the library over each named transport, as a rank of cli/namespaces.sh. Rank 0 prints the
// result. Exit code 3 if any y is wrong, the library's own if it lacks the backend.
//
//   one_product BACKEND TRANSPORT...      a transport may be followed by options: "shm,mode=device"
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <spmv_dist/spmv_dist.hpp>

namespace {

constexpr std::int64_t per_rank = 100;

/// The number of wrong elements of y on this rank. Each row has one element; for half of the rows another
/// rank owns its column.
int wrong_rows(const spmv_dist::Context& context, const std::string& options, std::string& transport) {
  const std::int64_t n = per_rank * context.size(), first = per_rank * context.rank();
  const auto column = [=](std::int64_t row) { return (row + per_rank / 2) % n; };
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> x_values;
  for (std::int64_t row = first; row < first + per_rank; ++row) {
    columns.push_back(column(row));
    x_values.push_back(static_cast<double>(row + 1));
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 2);
  spmv_dist::Matrix<double> A(context, spmv_dist::rows_from(n, n, first, row_ptr, columns, values),
                              spmv_dist::Options::parse("transport=" + options));
  transport = A.transport();
  auto x = A.make_x(), y = A.make_y();
  x.set(x_values);
  int wrong = 0;
  for (int product = 0; product < 3; ++product) multiply(A, x, y);
  const std::vector<double> got = y.get();
  for (std::int64_t i = 0; i < per_rank; ++i)
    wrong += got[static_cast<std::size_t>(i)] != 2 * static_cast<double>(column(first + i) + 1);
  return wrong;
}

/// Whether every y is correct.
bool try_transport(const spmv_dist::Context& context, const std::string& options) {
  int wrong = 0, wrong_anywhere = 0;
  std::string transport, refused;
  try {
    wrong = wrong_rows(context, options, transport);
  } catch (const spmv_dist::Error& error) {
    refused = error.what();
  }
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (context.rank() == 0) {
    if (wrong_anywhere > 0)
      std::printf("%s: WRONG, %d rows over %s\n", options.c_str(), wrong_anywhere, transport.c_str());
    else if (!refused.empty())
      std::printf("%s: refused: %s\n", options.c_str(), refused.c_str());
    else
      std::printf("%s: right, over %s\n", options.c_str(), transport.c_str());
    std::fflush(stdout);
  }
  return wrong_anywhere == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", argv[1]}, {"threads", "1"}});
    for (int i = 2; i < argc; ++i)
      if (!try_transport(context, argv[i])) code = 3;
  } catch (const spmv_dist::Error& error) {
    std::printf("refused: %s\n", error.what());
    code = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return code;
}
