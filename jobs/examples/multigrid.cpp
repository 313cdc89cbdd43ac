// A Poisson problem on (2^k - 1)^3 points by conjugate gradients, alone and with a multigrid cycle: multigrid [K] [OPTIONS OF THE MATRIX].
#include "multigrid.hpp"

#include <cstdio>
#include <string>

namespace {

int solve(int levels, const std::string& options) {
  const spmv_dist::Context context(MPI_COMM_WORLD);
  const PoissonLevels<double> rows(context, levels);
  spmv_dist::Matrix<double> A(context, rows.finest(), spmv_dist::Options::parse(options));
  auto b = A.make_y(), x = A.make_x();
  const std::vector<double> zeros(static_cast<std::size_t>(b.size())), ones(zeros.size(), 1);
  b.set(ones);

  const spmv_dist::Hierarchy<double> M(A, rows.coarser());
  spmv_dist::Solver<double> alone(A), with_cycle(A, M);
  int iterations = 0;
  for (spmv_dist::Solver<double>* solver : {&alone, &with_cycle}) {
    solver->solve(b, x);  // warms up
    x.set(zeros);
    const spmv_dist::SolveResult result = solver->solve(b, x);
    if (result.stop != spmv_dist::Stop::converged) {
      if (context.rank() == 0) std::fprintf(stderr, "%s\n", result.reason.c_str());
      return 1;
    }
    iterations = result.iterations;
    if (context.rank() == 0)
      std::printf("%3d iterations, residual %.1e, %8.3f ms, preconditioner %s\n", iterations, result.residual,
                  1e3 * result.seconds, solver->preconditioner().c_str());
  }
  return iterations <= 15 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    status = solve(argc > 1 ? std::stoi(argv[1]) : 5, argc > 2 ? argv[2] : "");
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
