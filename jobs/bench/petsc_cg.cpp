// Our conjugate gradients and PETSc's KSPCG on an aij matrix, side by side in one run.
//   mpirun -np 2 petsc_cg [generator specification or file] [iterations] [rounds] [shift] [format]
// Both solve (A + shift) x = b, with the same rows and the same b on the same ranks, without preconditioner, by the same number
// of iterations, from x = 0. Solves alternate, so that disturbances affect both. Reports milliseconds an iteration, the maximum
// over ranks: medians and least over the rounds, and the median, least and largest ratio of a round. PETSC_OPTIONS is read, such
// as "-ksp_norm_type natural". Exit code 3 if the two disagree by a tenth: on an ill-conditioned matrix rounding errors grow from
// iteration to iteration.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <petscksp.h>
#include <spmv_dist/solve.hpp>
#include <spmv_dist/spmv_dist.hpp>

#include "core/number.hpp"

namespace {

using spmv_dist::Rows;

void check(PetscErrorCode code, const char* call) {
  if (code != 0)
    throw spmv_dist::Error(spmv_dist::Code::internal,
                           std::string(call) + " failed with PETSc's error " + std::to_string(code));
}
#define SPMV_PETSC(call) check(call, #call)

struct Plan {
  std::string matrix = "stencil27:64,64,64";
  int iterations = 200;
  int rounds = 9;
  double shift = 0;
  std::string format = "auto";
};

/// Rows of this rank, with the shift on the diagonal.
class ShiftedRows {
 public:
  ShiftedRows(const spmv_dist::Context& context, const Plan& plan)
      : loaded_(std::ifstream(plan.matrix).good()
                    ? spmv_dist::LoadedRows<double>::read(context, plan.matrix)
                    : spmv_dist::LoadedRows<double>::generate(context, plan.matrix)),
        view_(loaded_.view()),
        values_(view_.values, view_.values + view_.elements) {
    view_.values = values_.data();
    for (std::int64_t row = 0; row < view_.rows; ++row)
      for (std::int64_t k = view_.row_ptr[row]; k < view_.row_ptr[row + 1]; ++k)
        if (view_.columns[k] == view_.first_row + row) values_[static_cast<std::size_t>(k)] += plan.shift;
  }
  const Rows<double>& view() const { return view_; }

 private:
  spmv_dist::LoadedRows<double> loaded_;
  Rows<double> view_;
  std::vector<double> values_;
};

/// This rank's part of a right-hand side with every frequency.
std::vector<double> right_hand_side(const Rows<double>& rows) {
  std::vector<double> b;
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const double number = std::sin(static_cast<double>(rows.first_row + i + 1)) * 43758.5453;
    b.push_back(number - std::floor(number) - 0.5);
  }
  return b;
}

class OurSolver {
 public:
  OurSolver(const spmv_dist::Context& context, const ShiftedRows& rows, const Plan& plan)
      : A_(context, rows.view(),
           {{"format", plan.format}, {"products", std::to_string(plan.iterations * plan.rounds)}}),
        solver_(A_, options(plan)),
        x_(A_.make_x()),
        b_(A_.make_y()) {
    b_.set(right_hand_side(rows.view()));
  }
  void clear() { x_.set(std::vector<double>(static_cast<std::size_t>(x_.size()))); }
  int solve() { return solver_.solve(b_, x_).iterations; }
  std::vector<double> x() const { return x_.get(); }
  std::string format() const { return A_.format(); }

 private:
  static spmv_dist::SolveOptions options(const Plan& plan) {
    spmv_dist::SolveOptions options;
    options.tolerance = 0;
    options.max_iterations = plan.iterations;
    return options;
  }
  spmv_dist::Matrix<double> A_;
  spmv_dist::Solver<double> solver_;
  spmv_dist::Vector<double> x_, b_;
};

class PetscSolver {
 public:
  PetscSolver(const ShiftedRows& shifted, const Plan& plan) {
    const Rows<double>& rows = shifted.view();
    const auto local = static_cast<PetscInt>(rows.rows);
    const std::vector<PetscInt> row_ptr(rows.row_ptr, rows.row_ptr + rows.rows + 1),
        columns(rows.columns, rows.columns + rows.elements);
    SPMV_PETSC(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local, local, PETSC_DETERMINE, PETSC_DETERMINE,
                                         row_ptr.data(), columns.data(), rows.values, &A_));
    SPMV_PETSC(MatCreateVecs(A_, &x_, &b_));
    double* b = nullptr;
    SPMV_PETSC(VecGetArray(b_, &b));
    const std::vector<double> wanted = right_hand_side(rows);
    std::copy(wanted.begin(), wanted.end(), b);
    SPMV_PETSC(VecRestoreArray(b_, &b));
    PC pc = nullptr;
    SPMV_PETSC(KSPCreate(PETSC_COMM_WORLD, &ksp_));
    SPMV_PETSC(KSPSetOperators(ksp_, A_, A_));
    SPMV_PETSC(KSPSetType(ksp_, KSPCG));
    SPMV_PETSC(KSPGetPC(ksp_, &pc));
    SPMV_PETSC(PCSetType(pc, PCNONE));
    SPMV_PETSC(KSPSetTolerances(ksp_, 1e-300, 0, PETSC_DEFAULT, plan.iterations));
    SPMV_PETSC(KSPSetFromOptions(ksp_));
    SPMV_PETSC(KSPSetUp(ksp_));
  }
  ~PetscSolver() {
    KSPDestroy(&ksp_);
    VecDestroy(&x_);
    VecDestroy(&b_);
    MatDestroy(&A_);
  }
  PetscSolver(const PetscSolver&) = delete;
  PetscSolver& operator=(const PetscSolver&) = delete;

  void clear() { SPMV_PETSC(VecSet(x_, 0)); }
  int solve() {
    PetscInt iterations = 0;
    SPMV_PETSC(KSPSolve(ksp_, b_, x_));
    SPMV_PETSC(KSPGetIterationNumber(ksp_, &iterations));
    return static_cast<int>(iterations);
  }
  std::vector<double> x() const {
    const double* at = nullptr;
    PetscInt size = 0;
    SPMV_PETSC(VecGetLocalSize(x_, &size));
    SPMV_PETSC(VecGetArrayRead(x_, &at));
    std::vector<double> x(at, at + size);
    SPMV_PETSC(VecRestoreArrayRead(x_, &at));
    return x;
  }

 private:
  Mat A_ = nullptr;
  Vec x_ = nullptr, b_ = nullptr;
  KSP ksp_ = nullptr;
};

double over_ranks(double value, MPI_Op operation) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, PETSC_COMM_WORLD);
  return result;
}

/// Milliseconds an iteration of one solve from x = 0, on the slowest rank.
template <class Solver>
double time_of(Solver& solver, const Plan& plan) {
  solver.clear();
  MPI_Barrier(PETSC_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  const int iterations = solver.solve();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  if (iterations != plan.iterations)
    throw spmv_dist::Error(spmv_dist::Code::input, "a solver stopped after " + std::to_string(iterations) +
                                                       " iterations: take a positive definite matrix");
  return over_ranks(taken.count(), MPI_MAX) / iterations;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

/// |a - b| / |b|, of all ranks.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(over_ranks(off, MPI_SUM) / over_ranks(size, MPI_SUM));
}

/// Whether the iterates agree.
bool compare(const spmv_dist::Context& context, const Plan& plan) {
  const ShiftedRows rows(context, plan);
  OurSolver ours(context, rows, plan);
  PetscSolver petsc(rows, plan);
  time_of(ours, plan);
  time_of(petsc, plan);
  std::vector<double> our_ms, petsc_ms, ratio;
  for (int round = 0; round < plan.rounds; ++round) {
    if (round % 2 == 0) our_ms.push_back(time_of(ours, plan));
    petsc_ms.push_back(time_of(petsc, plan));
    if (round % 2 == 1) our_ms.push_back(time_of(ours, plan));
    ratio.push_back(petsc_ms.back() / our_ms.back());
  }
  const double off = difference(ours.x(), petsc.x());
  const auto [least, largest] = std::minmax_element(ratio.begin(), ratio.end());
  const auto best = [](const std::vector<double>& ms) { return *std::min_element(ms.begin(), ms.end()); };
  if (context.rank() == 0)
    fmt::print(
        "{}, {} ranks, format {}\n"
        "  median: ours {:.4f} ms, PETSc {:.4f} ms, ratio {:.2f} [{:.2f}, {:.2f}]\n"
        "  best:   ours {:.4f} ms, PETSc {:.4f} ms, ratio {:.2f}\n"
        "  solutions differ by {:.1e}\n",
        plan.matrix, context.size(), ours.format(), median(our_ms), median(petsc_ms), median(ratio), *least,
        *largest, best(our_ms), best(petsc_ms), best(petsc_ms) / best(our_ms), off);
  return off < 0.1;
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  if (argc > 1) plan.matrix = argv[1];
  if (argc > 2) plan.iterations = spmv::number_in<int>(argv[2]).value();
  if (argc > 3) plan.rounds = spmv::number_in<int>(argv[3]).value();
  if (argc > 4) plan.shift = spmv::number_in<double>(argv[4]).value();
  if (argc > 5) plan.format = argv[5];
  try {
    SPMV_PETSC(PetscInitialize(nullptr, nullptr, nullptr, nullptr));
    bool agree = false;
    {
      const spmv_dist::Context context(PETSC_COMM_WORLD, {{"backend", "host"}, {"threads", "1"}});
      agree = compare(context, plan);
      if (!agree && context.rank() == 0) fmt::print(stderr, "petsc_cg: the solutions disagree\n");
    }
    SPMV_PETSC(PetscFinalize());
    return agree ? 0 : 3;
  } catch (const std::exception& error) {
    fmt::print(stderr, "petsc_cg: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}
