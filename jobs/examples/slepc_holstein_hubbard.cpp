// The ground state energy of a small Holstein-Hubbard model by SLEPc's Krylov-Schur method with this
// library's products on SLEPc's own vectors, compared with the lowest eigenvalue of the dense matrix.
//
//   H = -t sum_<ij>s c+_is c_js + U sum_i n_iup n_idown - g w sum_i n_i (b+_i + b_i) + w sum_i b+_i b_i
//
// on a ring with one electron of either spin and at most `most` phonons at a site.
#include <cmath>
#include <cstdio>
#include <vector>

#define PETSC_SILENCE_DEPRECATION_WARNINGS_3_23_0  // petsc_vectors.hpp uses what all versions have
#include <slepceps.h>
#include <spmv_dist/spmv_dist.hpp>

#include "petsc_vectors.hpp"

namespace {

constexpr int sites = 3, most = 3;
constexpr double t = 1, U = 2, w = 0.7, g = 0.9;

constexpr std::int64_t power(std::int64_t base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}
constexpr std::int64_t phonon_states = power(most + 1, sites), states = sites * sites * phonon_states;

/// Calls visit(column, value) for every element of one row; a column may come twice.
template <class Visit>
void for_row(std::int64_t row, const Visit& visit) {
  const std::int64_t phonons = row % phonon_states, electrons = row / phonon_states;
  const int up = static_cast<int>(electrons / sites), down = static_cast<int>(electrons % sites);
  double energy = up == down ? U : 0;
  for (int site = 0; site < sites; ++site) {
    const std::int64_t one = power(most + 1, site);
    const auto number = static_cast<int>(phonons / one % (most + 1));
    const int here = (up == site) + (down == site);
    energy += w * number;
    if (here > 0 && number < most) visit(row + one, -g * w * here * std::sqrt(number + 1.0));
    if (here > 0 && number > 0) visit(row - one, -g * w * here * std::sqrt(double(number)));
  }
  visit(row, energy);
  for (const int step : {1, sites - 1}) {
    visit(((up + step) % sites * sites + down) * phonon_states + phonons, -t);
    visit((up * sites + (down + step) % sites) * phonon_states + phonons, -t);
  }
}

PetscErrorCode lowest(MPI_Comm comm, Mat H, EPSType type, PetscReal& energy) {
  EPS eps = nullptr;
  BV basis = nullptr;
  Vec like = nullptr;
  PetscInt found = 0;
  PetscScalar value = 0;
  PetscCall(EPSCreate(comm, &eps));
  PetscCall(EPSSetOperators(eps, H, nullptr));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetType(eps, type));
  // Every vector of the basis is a duplicate of one that MatCreateVecs() makes.
  PetscCall(EPSGetBV(eps, &basis));
  PetscCall(MatCreateVecs(H, &like, nullptr));
  PetscCall(BVSetSizesFromVec(basis, like, 1));
  PetscCall(BVSetType(basis, BVVECS));
  PetscCall(VecDestroy(&like));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  PetscCall(EPSSetTolerances(eps, 1e-12, 1000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  if (found < 1) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "no eigenvalue was found");
  PetscCall(EPSGetEigenvalue(eps, 0, &value, nullptr));
  energy = PetscRealPart(value);
  PetscCall(EPSDestroy(&eps));
  return PetscErrorCode(0);
}

PetscErrorCode lowest_dense(PetscReal& energy) {
  Mat H = nullptr;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, states, states, nullptr, &H));
  for (std::int64_t row = 0; row < states; ++row)
    for_row(row, [&](std::int64_t column, double value) {
      static_cast<void>(
          MatSetValue(H, static_cast<PetscInt>(row), static_cast<PetscInt>(column), value, ADD_VALUES));
    });
  PetscCall(MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY));
  PetscCall(lowest(PETSC_COMM_SELF, H, EPSLAPACK, energy));
  PetscCall(MatDestroy(&H));
  return PetscErrorCode(0);
}

PetscErrorCode run(bool& right) {
  const spmv_dist::Context context = on_spmv_dist::make_context(PETSC_COMM_WORLD);
  const std::int64_t first = states * context.rank() / context.size(),
                     end = states * (context.rank() + 1) / context.size();
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
  for (std::int64_t row = first; row < end; ++row) {
    for_row(row, [&](std::int64_t column, double value) {
      columns.push_back(column);
      values.push_back(value);
    });
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  spmv_dist::Matrix<double> H(context, spmv_dist::rows_from(states, states, first, row_ptr, columns, values),
                              {{"symmetry", "symmetric"}, {"products", "200"}});
  Mat shell = nullptr;
  PetscReal energy = 0, dense = 0;
  PetscCall(on_spmv_dist::make_shell(H, &shell));
  PetscCall(lowest(PETSC_COMM_WORLD, shell, EPSKRYLOVSCHUR, energy));
  PetscCall(lowest_dense(dense));
  right = std::abs(energy - dense) < 1e-10;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d states, ground state energy %.12f, dense %.12f\n",
                        static_cast<int>(states), double(energy), double(dense)));
  PetscCall(MatDestroy(&shell));
  return PetscErrorCode(0);
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(SlepcInitialize(&argc, &argv, nullptr, nullptr));
  bool right = false;
  try {
    PetscCall(run(right));
  } catch (const spmv_dist::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  PetscCall(SlepcFinalize());
  return right ? 0 : 1;
}
