// hypre's conjugate gradients with BoomerAMG as preconditioner, on levels made with the settings of preconditioner multigrid, to set
// beside `spmv_dist solve --preconditioner multigrid` on the same ranks:
//   mpirun -np 2 hypre_cg [generator specification] [smoother of hypre's: 8 symmetric Gauss-Seidel, 18 jacobi, 16 chebyshev] [rounds]
// b = A x for an x of ones, from x = 0, to |r| <= 1e-8 |b|. Reports iterations, the set-up in seconds and the solve in milliseconds:
// the median and the least of the rounds, the maximum over ranks.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <fmt/format.h>
#include <spmv_dist/spmv_dist.hpp>

#include "core/number.hpp"

namespace {

void check(HYPRE_Int code, const char* call) {
  if (code != 0)
    throw spmv_dist::Error(spmv_dist::Code::internal,
                           std::string(call) + " failed with hypre's error " + std::to_string(code));
}

double longest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The matrix, with x = 0 and b = A 1.
struct System {
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJVector x = nullptr, b = nullptr;
  HYPRE_ParCSRMatrix A = nullptr;
  HYPRE_ParVector of_x = nullptr, of_b = nullptr;
};

System make_system(const spmv_dist::Rows<double>& rows) {
  System s;
  const auto first = static_cast<HYPRE_BigInt>(rows.first_row),
             last = static_cast<HYPRE_BigInt>(first + rows.rows - 1);
  std::vector<HYPRE_Int> lengths;
  std::vector<HYPRE_BigInt> ids, columns(rows.columns, rows.columns + rows.elements);
  std::vector<double> sums;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    ids.push_back(static_cast<HYPRE_BigInt>(rows.first_row + row));
    lengths.push_back(static_cast<HYPRE_Int>(rows.row_ptr[row + 1] - rows.row_ptr[row]));
    double sum = 0;
    for (std::int64_t k = rows.row_ptr[row]; k < rows.row_ptr[row + 1]; ++k) sum += rows.values[k];
    sums.push_back(sum);
  }
  check(HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &s.matrix), "HYPRE_IJMatrixCreate");
  check(HYPRE_IJMatrixSetObjectType(s.matrix, HYPRE_PARCSR), "HYPRE_IJMatrixSetObjectType");
  check(HYPRE_IJMatrixInitialize(s.matrix), "HYPRE_IJMatrixInitialize");
  check(HYPRE_IJMatrixSetValues(s.matrix, static_cast<HYPRE_Int>(rows.rows), lengths.data(), ids.data(),
                                columns.data(), rows.values),
        "HYPRE_IJMatrixSetValues");
  check(HYPRE_IJMatrixAssemble(s.matrix), "HYPRE_IJMatrixAssemble");
  void* object = nullptr;
  check(HYPRE_IJMatrixGetObject(s.matrix, &object), "HYPRE_IJMatrixGetObject");
  s.A = static_cast<HYPRE_ParCSRMatrix>(object);
  const std::vector<double> zeros(sums.size());
  for (const auto& [vector, par, values] : {std::tuple{&s.x, &s.of_x, &zeros}, {&s.b, &s.of_b, &sums}}) {
    check(HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, vector), "HYPRE_IJVectorCreate");
    check(HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR), "HYPRE_IJVectorSetObjectType");
    check(HYPRE_IJVectorInitialize(*vector), "HYPRE_IJVectorInitialize");
    check(HYPRE_IJVectorSetValues(*vector, static_cast<HYPRE_Int>(rows.rows), ids.data(), values->data()),
          "HYPRE_IJVectorSetValues");
    check(HYPRE_IJVectorAssemble(*vector), "HYPRE_IJVectorAssemble");
    check(HYPRE_IJVectorGetObject(*vector, &object), "HYPRE_IJVectorGetObject");
    *par = static_cast<HYPRE_ParVector>(object);
  }
  return s;
}

/// As dist/solve/hypre makes levels.
HYPRE_Solver make_preconditioner(HYPRE_Int smoother, HYPRE_Int unknowns) {
  constexpr HYPRE_Int hmis = 10, extended_i = 6, most_elements = 4, coarse_rows = 1200;
  HYPRE_Solver amg = nullptr;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetCoarsenType(amg, hmis);
  HYPRE_BoomerAMGSetInterpType(amg, extended_i);
  HYPRE_BoomerAMGSetPMaxElmts(amg, most_elements);
  HYPRE_BoomerAMGSetAggNumLevels(amg, 1);
  HYPRE_BoomerAMGSetAggInterpType(amg, extended_i);
  HYPRE_BoomerAMGSetAggPMaxElmts(amg, most_elements);
  HYPRE_BoomerAMGSetMaxCoarseSize(amg, coarse_rows);
  HYPRE_BoomerAMGSetNumFunctions(amg, unknowns);
  HYPRE_BoomerAMGSetRelaxType(amg, smoother);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetPrintLevel(amg, 0);
  return amg;
}

int solve(const std::string& generator, HYPRE_Int smoother, int rounds) {
  const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "host"}});
  const auto rows = spmv_dist::LoadedRows<double>::generate(context, generator);
  const System s = make_system(rows.view());
  const HYPRE_Solver amg = make_preconditioner(smoother, generator.rfind("elasticity", 0) == 0 ? 3 : 1);
  HYPRE_Solver cg = nullptr;
  check(HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg), "HYPRE_ParCSRPCGCreate");
  HYPRE_PCGSetTol(cg, 1e-8);
  HYPRE_PCGSetTwoNorm(cg, 1);
  HYPRE_PCGSetMaxIter(cg, 1000);
  HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  check(HYPRE_ParCSRPCGSetup(cg, s.A, s.of_b, s.of_x), "HYPRE_ParCSRPCGSetup");
  const double setup = longest(MPI_Wtime() - begin);
  std::vector<double> ms;
  HYPRE_Int iterations = 0;
  double residual = 0;
  for (int round = 0; round < rounds; ++round) {
    HYPRE_ParVectorSetConstantValues(s.of_x, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    check(HYPRE_ParCSRPCGSolve(cg, s.A, s.of_b, s.of_x), "HYPRE_ParCSRPCGSolve");
    ms.push_back(1e3 * longest(MPI_Wtime() - start));
    HYPRE_ParCSRPCGGetNumIterations(cg, &iterations);
    HYPRE_ParCSRPCGGetFinalRelativeResidualNorm(cg, &residual);
  }
  std::sort(ms.begin(), ms.end());
  if (context.rank() == 0)
    fmt::print(
        "{}, {} ranks, smoother {}: {} iterations, residual {:.1e}, set-up {:.2f} s, solve {:.2f} ms (least "
        "{:.2f})\n",
        generator, context.size(), smoother, iterations, residual, setup, ms[ms.size() / 2], ms.front());
  HYPRE_ParCSRPCGDestroy(cg);
  HYPRE_BoomerAMGDestroy(amg);
  HYPRE_IJMatrixDestroy(s.matrix);
  HYPRE_IJVectorDestroy(s.x);
  HYPRE_IJVectorDestroy(s.b);
  return residual <= 1e-8 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    HYPRE_Init();
    const auto number = [&](int at, int otherwise) {
      return argc > at ? spmv::number_in<int>(argv[at]).value_or(otherwise) : otherwise;
    };
    status = solve(argc > 1 ? argv[1] : "stencil27:64,64,64", number(2, 8), std::max(1, number(3, 5)));
    HYPRE_Finalize();
  } catch (const spmv_dist::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = static_cast<int>(error.code());
  }
  MPI_Finalize();
  return status;
}
