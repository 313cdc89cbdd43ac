// Solvers through the C interface, in all value types.
#include <memory>
#include <string>
#include <vector>

#include "c_tiny.hpp"
#include "spmv_dist/solve.h"

namespace spmv::test::c {
namespace {

/// 2 on the diagonal and 1 in the corners.
template <class T>
struct Corners : Tiny<T> {
  Ids own_row_ptr{0}, own_columns;
  std::vector<T> own_values;
  Corners() {
    for (const std::int64_t row : this->ids) {
      own_columns.push_back(row);
      own_values.push_back(T(2));
      if (row == 0 || row == 4) {
        own_columns.push_back(4 - row);
        own_values.push_back(T(1));
      }
      own_row_ptr.push_back(static_cast<std::int64_t>(own_columns.size()));
    }
    this->rows.row_ptr = own_row_ptr.data();
    this->rows.columns = own_columns.data();
    this->rows.values = own_values.data();
    this->rows.elements = static_cast<std::int64_t>(own_columns.size());
  }
};

template <class T>
class CInterfaceSolvers : public testing::Test {
 protected:
  void SetUp() override {
    A_ = make_matrix<T>(context_, mine_.rows, "format=csr");
    b_ = make_vector(A_, SPMV_DIST_Y);
    x_ = make_vector(A_, SPMV_DIST_X);
    set(b_, of<T>(mine_.ids, {7, 4, 6, 8, 11}));
    spmv_dist_solve_options_init(&options_);
    options_.tolerance = 1e-5;
  }
  int solve(const spmv_dist_solve_options* options) {
    return spmv_dist_solve(A_.get(), b_.get(), x_.get(), options, &result_, &status_);
  }

  ContextHandle context_ = make_context();
  const Corners<T> mine_;
  MatrixHandle A_;
  VectorHandle b_, x_;
  spmv_dist_solve_options options_;
  spmv_dist_solve_result result_;
  Status status_;
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterfaceSolvers, Types);

TYPED_TEST(CInterfaceSolvers, FindTheSolution) {
  std::vector<double> history(64, -1.0);
  this->options_.preconditioner = "jacobi";
  this->options_.history = history.data();
  this->options_.history_room = 2;
  expect_done(this->solve(&this->options_), this->status_);
  EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED);
  EXPECT_STREQ(this->result_.reason, "");
  EXPECT_LE(this->result_.residual, 1.1e-5);
  EXPECT_EQ(this->result_.history_count, this->result_.iterations + 1 + this->result_.restarts);
  EXPECT_EQ(history[0], 1);
  EXPECT_GE(history[1], 0);
  EXPECT_EQ(history[2], -1) << "beyond history_room";
  const auto x = get<TypeParam>(this->x_, this->mine_.ids.size());
  const auto expected = of<TypeParam>(this->mine_.ids, x_by_hand);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(x[i] - expected[i]), 1e-4);
  expect_done(this->solve(nullptr), this->status_);
}

TYPED_TEST(CInterfaceSolvers, TakeEveryPreconditioner) {
  for (const char* name : {"none", "jacobi", "block_jacobi", "chebyshev"}) {
    this->options_.preconditioner = name;
    this->options_.degree = 2;
    this->options_.block_size = 3;
    this->options_.largest_eigenvalue = 3;
    expect_done(this->solve(&this->options_), this->status_);
    EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED) << name << ": " << this->result_.reason;
  }
}

TYPED_TEST(CInterfaceSolvers, IterateInSinglePrecision) {
  using T = TypeParam;
  EXPECT_STREQ(this->options_.inner, "none");
  this->options_.inner = "float";
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "option inner=float");
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
    const MatrixHandle A = make_matrix<T>(this->context_, this->mine_.rows, "format=csr inner=float");
    const VectorHandle b = make_vector(A, SPMV_DIST_Y), x = make_vector(A, SPMV_DIST_X);
    set(b, of<T>(this->mine_.ids, {7, 4, 6, 8, 11}));
    this->options_.tolerance = 1e-12;
    expect_done(spmv_dist_solve(A.get(), b.get(), x.get(), &this->options_, &this->result_, &this->status_),
                this->status_);
    EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED) << this->result_.reason;
    EXPECT_GT(this->result_.updates, 0);
    const auto found = get<T>(x, this->mine_.ids.size());
    const auto expected = of<T>(this->mine_.ids, x_by_hand);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LE(std::abs(found[i] - expected[i]), 1e-10);
  }
}

TYPED_TEST(CInterfaceSolvers, SolveColumnsSideBySide) {
  using T = TypeParam;
  spmv_dist_solver* solver = nullptr;
  expect_done(spmv_dist_solver_create(this->A_.get(), &this->options_, &solver, &this->status_),
              this->status_);
  const std::unique_ptr<spmv_dist_solver, decltype(&spmv_dist_solver_free)> owner(solver,
                                                                                  spmv_dist_solver_free);
  const auto make = [&](int side) {
    spmv_dist_multivector* made = nullptr;
    expect_done(spmv_dist_multivector_create(this->A_.get(), side, 2, &made, &this->status_), this->status_);
    return std::unique_ptr<spmv_dist_multivector, decltype(&spmv_dist_multivector_free)>(
        made, spmv_dist_multivector_free);
  };
  const auto B = make(SPMV_DIST_Y), X = make(SPMV_DIST_X);
  const std::vector<T> b = of<T>(this->mine_.ids, {7, 4, 6, 8, 11}), x = of<T>(this->mine_.ids, x_by_hand);
  std::vector<T> both, found(2 * x.size());
  for (const T& value : b) both.insert(both.end(), {value, T(0)});
  const auto count = static_cast<std::int64_t>(both.size());
  expect_done(spmv_dist_multivector_set(B.get(), both.data(), count, &this->status_), this->status_);
  std::vector<spmv_dist_solve_result> results(3);
  results[2].stop = -7;
  expect_done(spmv_dist_solver_solve_columns(solver, B.get(), X.get(), results.data(), &this->status_),
              this->status_);
  EXPECT_EQ(results[0].stop, SPMV_DIST_STOP_CONVERGED) << results[0].reason;
  EXPECT_GT(results[0].iterations, 0);
  EXPECT_EQ(results[0].history_count, results[0].iterations + 1 + results[0].restarts);
  EXPECT_EQ(results[1].stop, SPMV_DIST_STOP_CONVERGED);
  EXPECT_EQ(results[1].iterations, 0);
  EXPECT_EQ(results[2].stop, -7) << "beyond the columns";
  expect_done(spmv_dist_multivector_get(X.get(), found.data(), count, &this->status_), this->status_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(std::abs(found[2 * i] - x[i]), 1e-4);
    EXPECT_EQ(found[2 * i + 1], T(0));
  }
  expect_refused(spmv_dist_solver_solve_columns(solver, B.get(), X.get(), nullptr, &this->status_),
                 this->status_, SPMV_DIST_USAGE, "results is a null pointer");
  expect_refused(spmv_dist_solver_solve_columns(solver, nullptr, X.get(), results.data(), &this->status_),
                 this->status_, SPMV_DIST_USAGE, "B is a null pointer");
}

TYPED_TEST(CInterfaceSolvers, SolveForSeveralRightHandSides) {
  std::vector<double> history(2, -1.0);
  this->options_.preconditioner = "chebyshev";
  this->options_.largest_eigenvalue = 4;
  this->options_.history = history.data();
  this->options_.history_room = 2;
  spmv_dist_solver* solver = nullptr;
  expect_done(spmv_dist_solver_create(this->A_.get(), &this->options_, &solver, &this->status_),
              this->status_);
  const std::unique_ptr<spmv_dist_solver, decltype(&spmv_dist_solver_free)> owner(solver,
                                                                                  spmv_dist_solver_free);
  EXPECT_STREQ(spmv_dist_solver_preconditioner(solver), "chebyshev, degree 3 on [0.133, 4], as given");
  const std::size_t count = this->mine_.ids.size();
  for (const int factor : {1, -2}) {
    std::vector<TypeParam> b = of<TypeParam>(this->mine_.ids, {7, 4, 6, 8, 11}),
                           expected = of<TypeParam>(this->mine_.ids, x_by_hand);
    for (std::size_t i = 0; i < count; ++i) {
      b[i] *= TypeParam(factor);
      expected[i] *= TypeParam(factor);
    }
    set(this->b_, b);
    history.assign(2, -1.0);
    expect_done(
        spmv_dist_solver_solve(solver, this->b_.get(), this->x_.get(), &this->result_, &this->status_),
        this->status_);
    EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED) << this->result_.reason;
    EXPECT_GE(history[0], 0);
    const auto x = get<TypeParam>(this->x_, count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_LE(std::abs(x[i] - expected[i]), 1e-3);
  }
  expect_refused(
      spmv_dist_solver_solve(nullptr, this->b_.get(), this->x_.get(), &this->result_, &this->status_),
      this->status_, SPMV_DIST_USAGE, "solver is a null pointer");
  expect_refused(spmv_dist_solver_solve(solver, this->b_.get(), nullptr, &this->result_, &this->status_),
                 this->status_, SPMV_DIST_USAGE, "x is a null pointer");
  expect_refused(spmv_dist_solver_create(nullptr, nullptr, &solver, &this->status_), this->status_,
                 SPMV_DIST_USAGE, "A is a null pointer");
  EXPECT_EQ(solver, nullptr);
  EXPECT_STREQ(spmv_dist_solver_preconditioner(nullptr), "");
  spmv_dist_solver_free(nullptr);
}

TYPED_TEST(CInterfaceSolvers, StopsAreNoErrors) {
  this->options_.max_iterations = 1;
  this->options_.tolerance = 1e-30;
  expect_done(this->solve(&this->options_), this->status_);
  EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_ITERATIONS);
  EXPECT_STREQ(spmv_dist_stop_name(this->result_.stop), "iterations");
  EXPECT_STREQ(spmv_dist_stop_name(99), "");
  EXPECT_EQ(this->result_.iterations, 1);
  EXPECT_NE(std::string(this->result_.reason).find("not enough"), std::string::npos) << this->result_.reason;
}

TYPED_TEST(CInterfaceSolvers, AreWatched) {
  int asked = 0;
  this->options_.tolerance = 0;
  this->options_.watch_data = &asked;
  this->options_.watch = [](int, double, void* data) { return ++*static_cast<int*>(data); };
  expect_done(this->solve(&this->options_), this->status_);
  EXPECT_EQ(asked > 0, this->result_.stop == SPMV_DIST_STOP_ASKED);
}

TYPED_TEST(CInterfaceSolvers, BadArguments) {
  this->options_.solver = "sor";
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "unknown solver 'sor'");
  this->options_.solver = "cg";
  this->options_.degree = 0;
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "degree is 0");
  spmv_dist_solve_options_init(&this->options_);
  this->options_.block_size = -1;
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "block_size is -1");
  spmv_dist_solve_options_init(&this->options_);
  this->options_.largest_eigenvalue = -1;
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "largest_eigenvalue is -1");
  this->options_.solver = nullptr;
  expect_refused(this->solve(&this->options_), this->status_, SPMV_DIST_USAGE, "options->solver");
  expect_refused(
      spmv_dist_solve(this->A_.get(), nullptr, this->x_.get(), nullptr, &this->result_, &this->status_),
      this->status_, SPMV_DIST_USAGE, "b is a null pointer");
  expect_refused(
      spmv_dist_solve(this->A_.get(), this->b_.get(), this->x_.get(), nullptr, nullptr, &this->status_),
      this->status_, SPMV_DIST_USAGE, "result is a null pointer");
}

}  // namespace
}  // namespace spmv::test::c
