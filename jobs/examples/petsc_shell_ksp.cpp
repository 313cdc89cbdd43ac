// PETSc's conjugate gradients with this library's products: a shell matrix whose MatMult calls multiply(),
// compared with the solution by PETSc's own AIJ matrix.
#include <cmath>
#include <cstdio>
#include <vector>

#include <petscksp.h>
#include <spmv_dist/spmv_dist.hpp>

namespace {

/// The data of the shell matrix.
struct Product {
  spmv_dist::Matrix<double> A;
  spmv_dist::Vector<double> x, y;
};

/// PETSc's vectors are in natural order, the products' vectors in the format's order.
PetscErrorCode multiply_shell(Mat shell, Vec x, Vec y) {
  Product* product = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(MatShellGetContext(shell, &product));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  try {  // no exception may leave through PETSc
    product->x.set(from, product->x.size());
    multiply(product->A, product->x, product->y);
    product->y.get(to, product->y.size());
  } catch (const spmv_dist::Error& error) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.what());
  }
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayWrite(y, &to));
  return PetscErrorCode(0);
}

PetscErrorCode solve(Mat A, Vec b, Vec x, PetscInt& iterations) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
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

PetscErrorCode run(bool& right) {
  const PetscInt side = 50;
  Mat assembled = nullptr, shell = nullptr;
  Vec b = nullptr, by_petsc = nullptr, by_us = nullptr;
  PetscInt rows = 0, petsc_iterations = 0, our_iterations = 0;
  PetscReal difference = 0, norm = 0;
  PetscCall(assemble(side, assembled));
  const spmv_dist::Context context(PETSC_COMM_WORLD);
  spmv_dist::Matrix<double> A = take(context, assembled);
  Product product{A, A.make_x(), A.make_y()};
  PetscCall(MatGetLocalSize(assembled, &rows, nullptr));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, rows, rows, side * side, side * side, &product, &shell));
  PetscCall(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(multiply_shell)));

  PetscCall(MatCreateVecs(assembled, &by_petsc, &b));
  PetscCall(VecDuplicate(by_petsc, &by_us));
  PetscCall(VecSet(b, 1));
  PetscCall(solve(assembled, b, by_petsc, petsc_iterations));
  PetscCall(solve(shell, b, by_us, our_iterations));
  PetscCall(VecNorm(by_petsc, NORM_2, &norm));
  PetscCall(VecAXPY(by_us, -1, by_petsc));
  PetscCall(VecNorm(by_us, NORM_2, &difference));
  right = difference < 1e-8 * norm;
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD, "%d iterations with AIJ, %d with the shell matrix, solutions differ by %.1e\n",
      static_cast<int>(petsc_iterations), static_cast<int>(our_iterations), double(difference / norm)));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&by_petsc));
  PetscCall(VecDestroy(&by_us));
  PetscCall(MatDestroy(&shell));
  PetscCall(MatDestroy(&assembled));
  return PetscErrorCode(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  bool right = false;
  try {
    PetscCall(run(right));
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
