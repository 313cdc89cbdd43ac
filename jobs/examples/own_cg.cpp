// A solver of one's own against the library's, on a stencil: own_cg [SIDE] [OPTIONS OF THE MATRIX].
#include "own_cg.hpp"

#include <cmath>
#include <cstdio>
#include <string>

namespace {

int compare(std::int64_t side, const std::string& options) {
  const spmv_dist::Context context(MPI_COMM_WORLD);
  const std::string n = std::to_string(side);
  const auto rows = spmv_dist::LoadedRows<double>::generate(context, "stencil27:" + n + "," + n + "," + n);
  spmv_dist::Matrix<double> A(context, rows.view(), spmv_dist::Options::parse(options));
  auto b = A.make_x(), x = A.make_x(), own = A.make_x(), difference = A.make_x();
  b.set(std::vector<double>(static_cast<std::size_t>(b.size()), 1));

  spmv_dist::SolveOptions wanted;
  wanted.tolerance = 1e-10;
  const spmv_dist::SolveResult result = solve(A, b, x, wanted);
  const double start = MPI_Wtime();
  const int iterations = own_cg(A, b, own, wanted.tolerance);
  A.synchronize();
  const double seconds = MPI_Wtime() - start;

  spmv_dist::Workspace<double> on(A);
  spmv_dist::Combination<double> subtract(on);
  on.run(subtract.set(difference, x - own));
  const double off = on.norm(difference) / on.norm(x);
  if (context.rank() == 0) {
    std::printf("solve(): %s, %d iterations, residual %.1e, %.2f ms\n", to_string(result.stop),
                result.iterations, result.residual, 1e3 * result.seconds);
    std::printf("own_cg(): %d iterations, %.2f ms with its set-up; x differs by %.1e\n", iterations,
                1e3 * seconds, off);
  }
  return result.stop == spmv_dist::Stop::converged && iterations == result.iterations && off < 1e-8 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    status = compare(argc > 1 ? std::stoll(argv[1]) : 16, argc > 2 ? argv[2] : "");
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
