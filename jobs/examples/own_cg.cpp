// A solver of one's own against the library's, in turns: own_cg [GENERATOR] [OPTIONS OF THE MATRIX] [TURNS].
#include "own_cg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Wanted {
  std::string generator = "stencil27:16,16,16";
  std::string options;  // of the matrix
  int turns = 7;
};

void clear(spmv_dist::Vector<double>& x) {
  x.set(std::vector<double>(static_cast<std::size_t>(x.size())));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

/// |a - b| / |a|
double distance(spmv_dist::Matrix<double>& A, const spmv_dist::Vector<double>& a,
                const spmv_dist::Vector<double>& b) {
  auto difference = A.make_x();
  spmv_dist::Workspace<double> on(A);
  on.run(spmv_dist::Combination<double>(on).set(difference, a - b));
  return on.norm(difference) / on.norm(a);
}

int compare(const Wanted& wanted) {
  const spmv_dist::Context context(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const auto rows = spmv_dist::LoadedRows<double>::generate(context, wanted.generator);
  const double generated = MPI_Wtime();
  spmv_dist::Matrix<double> A(context, rows.view(), spmv_dist::Options::parse(wanted.options));
  const double made = MPI_Wtime();
  auto b = A.make_x(), x = A.make_x(), own_x = A.make_x();
  b.set(std::vector<double>(static_cast<std::size_t>(b.size()), 1));

  spmv_dist::SolveOptions options;
  options.tolerance = 1e-10;
  spmv_dist::Solver<double> solver(A, options);
  spmv_dist::SolveResult result;
  OwnResult own{};
  std::vector<double> ms, own_ms, set_up_ms, ratio;
  for (int turn = 0; turn <= wanted.turns; ++turn) {
    clear(x);
    result = solver.solve(b, x);
    clear(own_x);
    const double start = MPI_Wtime();
    own = own_cg(A, b, own_x, options.tolerance);
    const double seconds = MPI_Wtime() - start;
    if (turn == 0) continue;  // warms up
    ms.push_back(1e3 * result.seconds);
    own_ms.push_back(1e3 * own.seconds);
    set_up_ms.push_back(1e3 * (seconds - own.seconds));
    ratio.push_back(own.seconds / result.seconds);
  }
  const double off = distance(A, x, own_x);
  if (context.rank() == 0) {
    std::printf("%s\n", context.describe().c_str());
    std::printf("rows generated in %.2f s, matrix made in %.2f s\n%s", generated - begin, made - generated,
                A.describe().c_str());
    std::printf("solve(): %s, %d iterations, residual %.1e, %.2f ms\n", to_string(result.stop),
                result.iterations, result.residual, median(ms));
    std::printf("own_cg(): %d iterations, %.2f ms, and %.2f ms of set-up before; x differs by %.1e\n",
                own.iterations, median(own_ms), median(set_up_ms), off);
    std::printf("own_cg / solve: %.2f, median of %d turns\n", median(ratio), wanted.turns);
  }
  return result.stop == spmv_dist::Stop::converged && own.iterations == result.iterations && off < 1e-8 ? 0
                                                                                                        : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);  // for mode task
  int status = 0;
  try {
    Wanted wanted;
    if (argc > 1) wanted.generator = argv[1];
    if (argc > 2) wanted.options = argv[2];
    if (argc > 3) wanted.turns = std::max(1, std::stoi(argv[3]));
    status = compare(wanted);
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
