// Iterations in single precision through the public interface: the solution is that of double precision.
#include <cmath>
#include <string>
#include <vector>

#include "../../jobs/examples/multigrid.hpp"
#include "callers_grid.hpp"
#include "spmv_dist/multivector.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::MultiVector;
using spmv_dist::Options;
using spmv_dist::Side;
using spmv_dist::SolveOptions;
using spmv_dist::Solver;
using spmv_dist::SolveResult;
using spmv_dist::Stop;
using spmv_dist::Vector;

constexpr double beyond_single = 1e-11;

SolveOptions inner_options(const std::string& preconditioner = "none", const std::string& solver = "cg") {
  SolveOptions options;
  options.solver = solver;
  options.preconditioner = preconditioner;
  options.tolerance = beyond_single;
  options.inner = "float";
  return options;
}

template <class T>
class LibraryInner : public testing::Test {};
using InnerValues = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(LibraryInner, InnerValues);

TYPED_TEST(LibraryInner, SolvesAsInDouble) {
  using T = TypeParam;
  const CallersGrid<T> mine({13, 11, 0.2, true});
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const std::string mode : {"vector", "task"}) {
      Matrix<T> A(context, mine.view,
                  {{"mode", mode},
                   {"format", "pjds"},
                   {"inner", "float"},
                   {"inner_format", "sell"},
                   {"transport", "staged"},
                   {"partition", mode == "task" ? "metis" : "keep"}});
      EXPECT_NE(A.describe().find("in single precision: sell"), std::string::npos) << A.describe();
      auto b = A.make_y(), x = A.make_x();
      b.set(A.to_matrix(Side::y, mine.b));
      for (const std::string preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev"}) {
        SCOPED_TRACE(backend + ", " + mode + ", " + preconditioner);
        SolveOptions options = inner_options(preconditioner);
        x = A.make_x();
        Solver<T> solver(A, options);
        const SolveResult result = solver.solve(b, x);
        EXPECT_EQ(result.stop, Stop::converged) << result.reason;
        EXPECT_LE(result.residual, 1.05 * beyond_single);
        EXPECT_GE(result.updates, 4) << "a residual falls to a hundredth between two of them";
        EXPECT_LE(distance(x.get(), A.to_matrix(Side::x, mine.x)), 100 * beyond_single);
        EXPECT_NE(solver.preconditioner().find("in single precision"), std::string::npos)
            << solver.preconditioner();
        options.inner = "none";
        x = A.make_x();
        const SolveResult in_double = solve(A, b, x, options);
        EXPECT_EQ(in_double.updates, 0);
        EXPECT_LE(result.iterations, 1.5 * in_double.iterations + 2);
        for (const int others : world().all_gather(result.iterations)) EXPECT_EQ(others, result.iterations);
      }
    }
  }
}

/// The copy and its preconditioners get the new values, which are of another size.
TYPED_TEST(LibraryInner, FollowsOtherValues) {
  using T = TypeParam;
  const CallersGrid<T> plain, other({13, 11, 0.2, true});
  const Context context(world_comm(), {{"backend", "host"}});
  const Options options{{"format", "sell"}, {"transport", "staged"}, {"inner", "float"}};
  const double scale = std::ldexp(1.0, -150);
  std::vector<T> small = other.values;
  for (T& value : small) value *= scale;
  for (const std::string preconditioner : {"jacobi", "block_jacobi", "chebyshev"}) {
    SCOPED_TRACE(preconditioner);
    Matrix<T> A(context, plain.view, options);
    SolveOptions wanted = inner_options(preconditioner);
    auto b = A.make_y(), x = A.make_x();
    Solver<T> solver(A, wanted);
    b.set(plain.b);
    EXPECT_EQ(solver.solve(b, x).stop, Stop::converged);
    EXPECT_LE(distance(x.get(), plain.x), 100 * beyond_single);
    A.update_values(small.data(), static_cast<gidx>(small.size()));
    std::vector<T> right = other.b;
    for (T& value : right) value *= scale;
    b.set(right);
    x = A.make_x();
    const SolveResult result = solver.solve(b, x);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_LE(distance(x.get(), other.x), 100 * beyond_single);
    Matrix<T> fresh(context, other.view, options);
    auto fresh_b = fresh.make_y(), fresh_x = fresh.make_x();
    fresh_b.set(other.b);
    EXPECT_EQ(result.iterations, solve(fresh, fresh_b, fresh_x, wanted).iterations);
  }
}

/// An eigenvalue that is given is that of the matrix as given, whatever the scale of its copy.
TYPED_TEST(LibraryInner, TakesTheEigenvalueOfTheMatrixAsGiven) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "host"}});
  int iterations = -1;
  for (const int exponent : {0, -150, 150}) {
    SCOPED_TRACE(exponent);
    const double scale = std::ldexp(1.0, exponent);
    Matrix<T> A(context, mine.view, {{"format", "sell"}, {"transport", "staged"}, {"inner", "float"}});
    std::vector<T> values = mine.values, right = mine.b;
    for (T& value : values) value *= scale;
    for (T& value : right) value *= scale;
    A.update_values(values.data(), static_cast<gidx>(values.size()));
    auto b = A.make_y(), x = A.make_x();
    b.set(right);
    SolveOptions options = inner_options("chebyshev");
    options.largest_eigenvalue = 8.2 * scale;
    Solver<T> solver(A, options);
    const SolveResult result = solver.solve(b, x);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_NE(solver.preconditioner().find("as given"), std::string::npos) << solver.preconditioner();
    if (iterations < 0) iterations = result.iterations;
    EXPECT_EQ(result.iterations, iterations);
  }
}

class LibraryInnerUse : public testing::Test {
 protected:
  const CallersGrid<double> mine_{};
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<double> A_{context_, mine_.view, {{"transport", "staged"}, {"inner", "float"}}};
};

TEST_F(LibraryInnerUse, WhatCannotBeIsRefused) {
  auto b = A_.make_y(), x = A_.make_x();
  b.set(mine_.b);
  Matrix<double> without(context_, mine_.view, {{"transport", "staged"}});
  expect_error(Code::usage, "make it with option inner=float",
               [&] { Solver<double>(without, inner_options()); });
  SolveOptions other = inner_options();
  other.inner = "half";
  expect_error(Code::usage, "inner is 'half'", [&] { solve(A_, b, x, other); });
  expect_error(Code::usage, "a function was given",
               [&] { solve<double>(A_, b, x, inner_options(), [](auto& r, auto& z) { z.set(r.get()); }); });
  MultiVector<double> B(A_, Side::y, 2), X(A_, Side::x, 2);
  expect_error(Code::usage, "one right-hand side at a time", [&] { solve(A_, B, X, inner_options()); });
  EXPECT_EQ(solve(A_, b, x, inner_options()).stop, Stop::converged) << "after what was refused";
  const CallersGrid<float> floats;
  expect_error(Code::usage, "these are in single precision", [&] {
    Matrix<float>(context_, floats.view, {{"inner", "float"}});
  });
  const CallersRows<double> wide(matrix_where("wide", 6, 9, [](gidx, gidx) { return true; }), Deal::blocks);
  expect_error(Code::usage, "square", [&] { Matrix<double>(context_, wide.view, {{"inner", "float"}}); });
  expect_error(Code::usage, "inner", [&] { Matrix<double>(context_, mine_.view, {{"inner", "half"}}); });
  if (world().size() > 1) {
    SolveOptions one = inner_options();
    if (world().rank() == 0) one.inner = "none";
    expect_error(Code::usage, "inner", [&] { solve(A_, b, x, one); });
  }
}

TEST_F(LibraryInnerUse, AHierarchyIsRefused) {
  const PoissonLevels<double> rows(context_, 3);
  Matrix<double> A(context_, rows.finest(), {{"transport", "staged"}, {"inner", "float"}});
  expect_error(Code::usage, "a hierarchy was given",
               [&] { Solver<double>(A, spmv_dist::Hierarchy<double>(A, rows.coarser()), inner_options()); });
}

}  // namespace
}  // namespace spmv::test
