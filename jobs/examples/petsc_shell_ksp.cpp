// PETSc's conjugate gradients with this library's products: a shell matrix whose MatMult multiplies PETSc's own vectors, beside
// PETSc's AIJ matrix (with CUDA: aijcusparse), in turns: solutions, and times of an iteration.
//   petsc_shell_ksp [GENERATOR, default stencil5:50,50 [TURNS, default 3 [OPTIONS OF THE MATRIX]]] [PETSc's options]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define PETSC_SILENCE_DEPRECATION_WARNINGS_3_23_0  // petsc_vectors.hpp uses what all versions have
#include <petscksp.h>
#include <petsctime.h>
#include <spmv_dist/spmv_dist.hpp>

#include "petsc_vectors.hpp"

namespace {

struct Wanted {
  std::string generator = "stencil5:50,50";
  int turns = 3;
  std::string options;  // of the matrix
};

/// Conjugate gradients with one matrix, for b = 1.
class Solving {
 public:
  PetscErrorCode set_up(Mat A) {
    PC pc = nullptr;
    PetscCall(MatCreateVecs(A, &x_, &b_));
    PetscCall(VecSet(b_, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp_));
    PetscCall(KSPSetOperators(ksp_, A, A));
    PetscCall(KSPSetType(ksp_, KSPCG));
    PetscCall(KSPGetPC(ksp_, &pc));
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(KSPSetTolerances(ksp_, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
    PetscCall(KSPSetFromOptions(ksp_));
    return PetscErrorCode(0);
  }
  /// Solves from x = 0. The first solve sets up, and its time does not count.
  PetscErrorCode solve() {
    PetscLogDouble start = 0, end = 0;
    PetscCall(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp_, b_, x_));
    PetscCall(PetscTime(&end));
    PetscCall(KSPGetIterationNumber(ksp_, &iterations_));
    if (is_set_up_) seconds_.push_back(end - start);
    is_set_up_ = true;
    return PetscErrorCode(0);
  }
  PetscErrorCode destroy() {
    PetscCall(KSPDestroy(&ksp_));
    PetscCall(VecDestroy(&b_));
    PetscCall(VecDestroy(&x_));
    return PetscErrorCode(0);
  }
  Vec x() const { return x_; }
  int iterations() const { return static_cast<int>(iterations_); }
  /// The median.
  double us_of_an_iteration() {
    std::sort(seconds_.begin(), seconds_.end());
    return seconds_[seconds_.size() / 2] * 1e6 / std::max(1, iterations());
  }

 private:
  KSP ksp_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr;
  PetscInt iterations_ = 0;
  bool is_set_up_ = false;
  std::vector<double> seconds_;
};

/// PETSc's own matrix.
PetscErrorCode assemble(const spmv_dist::Context& context, const std::string& generator, Mat& A) {
  const auto loaded = spmv_dist::LoadedRows<double>::generate(context, generator);
  const spmv_dist::Rows<double> rows = loaded.view();
  const std::vector<PetscInt> row_ptr(rows.row_ptr, rows.row_ptr + rows.rows + 1),
      columns(rows.columns, rows.columns + rows.elements);
  const auto local = static_cast<PetscInt>(rows.rows);
  PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local, local, PETSC_DETERMINE, PETSC_DETERMINE,
                                      row_ptr.data(), columns.data(), rows.values, &A));
#ifdef PETSC_HAVE_CUDA
  PetscCall(MatConvert(A, MATAIJCUSPARSE, MAT_INPLACE_MATRIX, &A));
#endif
  return PetscErrorCode(0);
}

/// This rank's rows of an assembled matrix.
spmv_dist::Matrix<double> take(const spmv_dist::Context& context, Mat A, const std::string& options) {
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
  return {context, spmv_dist::rows_from(n, n, begin, row_ptr, columns, values),
          spmv_dist::Options::parse(options)};
}

/// The largest difference between the solutions, over the largest element.
PetscErrorCode difference(Vec by_petsc, Vec by_us, PetscReal& relative) {
  const PetscScalar* petscs = nullptr;
  double both[2] = {0, 0};
  PetscCall(VecGetArrayRead(by_petsc, &petscs));
  const PetscScalar* petsc = petscs;
  for (const double ours : on_spmv_dist::vector_of(by_us).get()) {
    both[0] = std::max(both[0], std::abs(ours - PetscRealPart(*petsc)));
    both[1] = std::max(both[1], std::abs(PetscRealPart(*petsc++)));
  }
  PetscCall(VecRestoreArrayRead(by_petsc, &petscs));
  PetscCall(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  relative = both[0] / both[1];
  return PetscErrorCode(0);
}

PetscErrorCode run(const Wanted& wanted, bool& right) {
  Mat assembled = nullptr, shell = nullptr;
  Solving petsc, ours;
  PetscReal off = 0;
  const spmv_dist::Context context = on_spmv_dist::make_context(PETSC_COMM_WORLD);
  PetscCall(assemble(context, wanted.generator, assembled));
  spmv_dist::Matrix<double> A = take(context, assembled, wanted.options);
  PetscCall(on_spmv_dist::make_shell(A, &shell));

  PetscCall(petsc.set_up(assembled));
  PetscCall(ours.set_up(shell));
  for (int turn = 0; turn <= wanted.turns; ++turn) {
    PetscCall(petsc.solve());
    PetscCall(ours.solve());
  }
  PetscCall(difference(petsc.x(), ours.x(), off));
  right = off < 1e-8;
  MatType type = nullptr;
  PetscCall(MatGetType(assembled, &type));
  const double theirs_us = petsc.us_of_an_iteration(), ours_us = ours.us_of_an_iteration();
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD,
                  "%s: %d iterations of %.1f us; the shell matrix (%s): %d iterations of %.1f us; ratio "
                  "%.2f, median of %d turns; solutions differ by %.1e\n",
                  type, petsc.iterations(), theirs_us, A.format().c_str(), ours.iterations(), ours_us,
                  theirs_us / ours_us, wanted.turns, static_cast<double>(off)));
  PetscCall(petsc.destroy());
  PetscCall(ours.destroy());
  PetscCall(MatDestroy(&shell));
  PetscCall(MatDestroy(&assembled));
  return PetscErrorCode(0);
}

/// Up to PETSc's options.
Wanted read(int argc, char** argv) {
  Wanted wanted;
  const int end =
      static_cast<int>(std::find_if(argv + 1, argv + argc, [](const char* a) { return a[0] == '-'; }) - argv);
  if (end > 1) wanted.generator = argv[1];
  if (end > 2) wanted.turns = std::max(1, std::atoi(argv[2]));
  if (end > 3) wanted.options = argv[3];
  return wanted;
}

}  // namespace

int main(int argc, char** argv) {
  const Wanted wanted = read(argc, argv);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  bool right = false;
  try {
    PetscCall(run(wanted, right));
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
