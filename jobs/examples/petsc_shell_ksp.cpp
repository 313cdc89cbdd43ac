// PETSc's conjugate gradients with this library's products: a shell matrix whose MatMult calls multiply() on PETSc's own vectors,
// compared with PETSc's AIJ matrix: solutions and times.
//   petsc_shell_ksp [points along an edge, default 50]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <petscksp.h>
#include <petsctime.h>
#include <spmv_dist/spmv_dist.hpp>

#include "petsc_vectors.hpp"

namespace {

struct Solve {
  PetscInt iterations = 0;
  PetscLogDouble seconds = 0;  // the least of three solves
};

PetscErrorCode solve(Mat A, Vec b, Vec x, Solve& result) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  result.seconds = PETSC_MAX_REAL;
  for (int time = 0; time < 3; ++time) {
    PetscLogDouble start = 0, end = 0;
    PetscCall(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscTime(&end));
    result.seconds = std::min(result.seconds, end - start);
  }
  PetscCall(KSPGetIterationNumber(ksp, &result.iterations));
  PetscCall(KSPDestroy(&ksp));
  return PetscErrorCode(0);
}

/// A five-point stencil as PETSc's own matrix.
PetscErrorCode assemble(PetscInt side, Mat& A) {
  PetscInt begin = 0, end = 0;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, side * side, side * side, 5, nullptr,
                         4, nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt id = begin; id < end; ++id) {
    PetscCall(MatSetValue(A, id, id, 4, INSERT_VALUES));
    if (id >= side) PetscCall(MatSetValue(A, id, id - side, -1, INSERT_VALUES));
    if (id + side < side * side) PetscCall(MatSetValue(A, id, id + side, -1, INSERT_VALUES));
    if (id % side > 0) PetscCall(MatSetValue(A, id, id - 1, -1, INSERT_VALUES));
    if ((id + 1) % side > 0) PetscCall(MatSetValue(A, id, id + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return PetscErrorCode(0);
}

/// This rank's rows of an assembled matrix.
spmv_dist::Matrix<double> take(const spmv_dist::Context& context, Mat A) {
  PetscInt begin = 0, end = 0, n = 0;
  MatGetOwnershipRange(A, &begin, &end);
  MatGetSize(A, &n, nullptr);
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt count = 0;
    const PetscInt* row_columns = nullptr;
    const PetscScalar* row_values = nullptr;
    MatGetRow(A, row, &count, &row_columns, &row_values);
    columns.insert(columns.end(), row_columns, row_columns + count);
    values.insert(values.end(), row_values, row_values + count);
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
    MatRestoreRow(A, row, &count, &row_columns, &row_values);
  }
  return {context, spmv_dist::rows_from(n, n, begin, row_ptr, columns, values), {{"symmetry", "symmetric"}}};
}

/// The largest difference between the solutions, over the largest element.
PetscErrorCode difference(Vec by_petsc, Vec by_us, PetscReal& relative) {
  const PetscScalar* petscs = nullptr;
  PetscCall(VecGetArrayRead(by_petsc, &petscs));
  double both[2] = {0, 0};
  for (const double ours : on_spmv_dist::vector_of(by_us).get()) {
    both[0] = std::max(both[0], std::abs(ours - PetscRealPart(*petscs)));
    both[1] = std::max(both[1], std::abs(PetscRealPart(*petscs++)));
  }
  PetscCall(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  relative = both[0] / both[1];
  return PetscErrorCode(0);
}

PetscErrorCode run(PetscInt side, bool& right) {
  Mat assembled = nullptr, shell = nullptr;
  Vec b = nullptr, by_petsc = nullptr, our_b = nullptr, by_us = nullptr;
  Solve petsc, ours;
  PetscReal off = 0;
  PetscCall(assemble(side, assembled));
  const spmv_dist::Context context(PETSC_COMM_WORLD);
  spmv_dist::Matrix<double> A = take(context, assembled);
  PetscCall(on_spmv_dist::make_shell(A, &shell));

  PetscCall(MatCreateVecs(assembled, &by_petsc, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(solve(assembled, b, by_petsc, petsc));
  PetscCall(MatCreateVecs(shell, &by_us, &our_b));
  PetscCall(VecSet(our_b, 1));
  PetscCall(solve(shell, our_b, by_us, ours));
  PetscCall(difference(by_petsc, by_us, off));
  right = off < 1e-8;
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD,
      "AIJ: %d iterations, %.2f ms; the shell matrix: %d iterations, %.2f ms; solutions differ by %.1e\n",
      static_cast<int>(petsc.iterations), petsc.seconds * 1e3, static_cast<int>(ours.iterations),
      ours.seconds * 1e3, static_cast<double>(off)));
  for (Vec* vec : {&b, &by_petsc, &our_b, &by_us}) PetscCall(VecDestroy(vec));
  PetscCall(MatDestroy(&shell));
  PetscCall(MatDestroy(&assembled));
  return PetscErrorCode(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  bool right = false;
  try {
    PetscCall(run(argc > 1 ? std::atoi(argv[1]) : 50, right));
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
