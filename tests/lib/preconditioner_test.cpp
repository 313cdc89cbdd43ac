// Preconditioners through the public interface: those of the table, and functions of the caller's.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "callers_grid.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Combination;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::Side;
using spmv_dist::SolveOptions;
using spmv_dist::Solver;
using spmv_dist::SolveResult;
using spmv_dist::Stop;
using spmv_dist::Vector;
using spmv_dist::Workspace;

constexpr double tolerance = 1e-4;

SolveOptions options_for(const std::string& preconditioner) {
  SolveOptions options;
  options.preconditioner = preconditioner;
  options.tolerance = tolerance;
  return options;
}

template <class T>
class LibraryPreconditioners : public testing::Test {
 protected:
  SolveResult solved(Solver<T> solver) {
    x_ = A_.make_x();
    return solver.solve(b_, x_);
  }
  SolveResult solved(const SolveOptions& options) { return solved(Solver<T>(A_, options)); }
  /// 1 / diagonal, as a vector.
  Vector<T> inverse_diagonal() {
    std::vector<T> inverse;
    for (std::size_t i = 0; i < grid_.ids.size(); ++i)
      for (gidx k = grid_.row_ptr[i]; k < grid_.row_ptr[i + 1]; ++k)
        if (grid_.columns[k] == grid_.ids[i]) inverse.push_back(T(1) / grid_.values[k]);
    auto vector = A_.make_x();
    vector.set(inverse);
    return vector;
  }

  const CallersGrid<T> grid_{{13, 11, 0.2, true}};
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<T> A_{context_, grid_.view, {{"format", "pjds"}, {"transport", "staged"}}};
  Vector<T> b_ = [this] {
    auto b = A_.make_y();
    b.set(grid_.b);
    return b;
  }();
  Vector<T> x_ = A_.make_x();
};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibraryPreconditioners, Values);

void expect_same_iterates(const SolveResult& a, const SolveResult& b) {
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i)
    EXPECT_NEAR(a.history[i], b.history[i], 1e-3 * b.history[i]);
}

TYPED_TEST(LibraryPreconditioners, BlocksOfOneRowAreTheDiagonal) {
  SolveOptions blocks = options_for("block_jacobi");
  blocks.block_size = 1;
  expect_same_iterates(this->solved(blocks), this->solved(options_for("jacobi")));
}

/// Dense blocks of 12 rows, two on every rank, whose pivots are not on the diagonal.
template <class T>
struct DenseBlocks {
  static constexpr gidx size = 12;
  std::vector<gidx> row_ptr{0}, columns;
  std::vector<T> values;
  gidx first = 2 * size * world().rank();

  DenseBlocks() {
    for (gidx i = first; i < first + 2 * size; ++i) {
      for (gidx j = i / size * size; j < i / size * size + size; ++j) {
        columns.push_back(j);
        values.push_back(x_value<T>(i * size + j, 1) + T((i + j) % size == 7 ? 9 : 0));
      }
      row_ptr.push_back(static_cast<gidx>(columns.size()));
    }
  }
  spmv_dist::Rows<T> view() const {
    const gidx rows = 2 * size * world().size();
    return spmv_dist::rows_from(rows, rows, first, row_ptr, columns, values);
  }
};

TYPED_TEST(LibraryPreconditioners, BlocksOfAllRowsSolveAtOnce) {
  using T = TypeParam;
  const DenseBlocks<T> blocks;
  SolveOptions options = options_for("block_jacobi");
  options.solver = "bicgstab";
  options.block_size = 12;
  Matrix<T> few(this->context_, blocks.view());
  expect_error(Code::usage, "make it with option largest_block=12", [&] { Solver<T>(few, options); });
  Matrix<T> B(this->context_, blocks.view(), {{"largest_block", "12"}, {"format", "pjds"}});
  auto b = B.make_y(), x = B.make_x();
  b.set(std::vector<T>(24, T(1)));
  const SolveResult result = solve(B, b, x, options);
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(result.iterations, 1);
}

TYPED_TEST(LibraryPreconditioners, PolynomialsSaveIterations) {
  int before = this->solved(options_for("none")).iterations;
  for (const int degree : {1, 4}) {
    SolveOptions options = options_for("chebyshev");
    options.degree = degree;
    const SolveResult result = this->solved(options);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_LE(result.iterations, before * 3 / 4) << "degree " << degree;
    before = result.iterations;
  }
}

/// The five-point stencil, whose eigenvalues and sums of rows are below 8.
TYPED_TEST(LibraryPreconditioners, PolynomialsSayTheirInterval) {
  using T = TypeParam;
  const CallersGrid<T> plain({9, 8, 0});
  Matrix<T> B(this->context_, plain.view, {{"transport", "staged"}});
  const auto chosen = [&](double largest) {
    SolveOptions options = options_for("chebyshev");
    options.largest_eigenvalue = largest;
    return Solver<T>(B, options).preconditioner();
  };
  EXPECT_EQ(chosen(0), "chebyshev, degree 3 on [0.267, 8], estimated");
  EXPECT_EQ(chosen(9), "chebyshev, degree 3 on [0.3, 9], as given");
  EXPECT_EQ(chosen(4), "chebyshev, degree 3 on [0.267, 8], widened from 4, which was too small");
  EXPECT_EQ(Solver<T>(B).preconditioner(), "none");
}

TYPED_TEST(LibraryPreconditioners, FunctionsQueueTheirWork) {
  using T = TypeParam;
  Workspace<T> on(this->A_);
  const Vector<T> inverse = this->inverse_diagonal();
  int calls = 0;
  const auto divide = [&](Vector<T>& r, Vector<T>& z) {
    ++calls;
    on.run(Combination<T>(on).multiply(z, inverse, r));
  };
  for (const std::string name : {"cg", "cg_classical", "cg_pipelined", "bicgstab", "bicgstab_2"}) {
    SCOPED_TRACE(name);
    SolveOptions own = options_for("none"), of_table = options_for("jacobi");
    own.solver = of_table.solver = name;
    calls = 0;
    Solver<T> solver(this->A_, own, divide);
    EXPECT_EQ(solver.preconditioner(), "a function of the caller's");
    const SolveResult result = this->solved(solver);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    EXPECT_GE(calls, result.iterations);
    EXPECT_NEAR(result.iterations, this->solved(of_table).iterations, 1);
  }
}

/// The polynomial 2 omega - omega^2 A, by products of the matrix that is being solved with.
TYPED_TEST(LibraryPreconditioners, FunctionsMultiplyByTheMatrix) {
  using T = TypeParam;
  const CallersGrid<T> plain;
  Matrix<T> B(this->context_, plain.view, {{"transport", "staged"}});
  Workspace<T> on(B);
  auto b = B.make_y(), x = B.make_x(), product = B.make_y();
  b.set(plain.b);
  constexpr double omega = 0.2;
  const auto damp = [&](Vector<T>& r, Vector<T>& z) {
    multiply_queued(B, r, product);
    on.run(Combination<T>(on).set(z, 2 * omega * r - omega * omega * product));
  };
  const int plain_iterations = solve(B, b, x = B.make_x(), options_for("none")).iterations;
  const SolveResult result = solve(B, b, x = B.make_x(), options_for("none"), damp);
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LT(result.iterations, plain_iterations);
  EXPECT_LE(distance(x.get(), plain.x), 100 * tolerance);
}

TYPED_TEST(LibraryPreconditioners, FunctionsComputeOnTheHost) {
  using T = TypeParam;
  const std::vector<T> inverse = this->inverse_diagonal().get();
  const auto divide = [&](Vector<T>& r, Vector<T>& z) {
    std::vector<T> values = r.get();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= inverse[i];
    z.set(values);
  };
  const SolveResult result = this->solved(Solver<T>(this->A_, options_for("none"), divide));
  EXPECT_NEAR(result.iterations, this->solved(options_for("jacobi")).iterations, 1);
}

class PreconditionerUse : public LibraryPreconditioners<double> {};

/// A Matrix has only some of its values left.
TEST_F(PreconditionerUse, MultigridIsRefused) {
  expect_error(Code::usage, "multigrid", [&] { Solver<double>(A_, options_for("multigrid")); });
}

/// Inner solves have sums of their own: with exact ones the outer solver needs one iteration.
TEST_F(PreconditionerUse, AFunctionMaySolveWithTheSameMatrix) {
  Solver<double> inner(A_, {"cg", "jacobi", 1e-13});
  auto found = A_.make_x();
  const auto nested = [&](Vector<double>& r, Vector<double>& z) {
    found.set(std::vector<double>(static_cast<std::size_t>(A_.size(spmv_dist::Side::x)), 0.0));
    inner.solve(r, found);
    z.set(found.get());
  };
  for (const std::string name : {"cg", "cg_classical", "cg_pipelined", "bicgstab", "bicgstab_2"}) {
    SolveOptions options = options_for("none");
    options.solver = name;
    Solver<double> solver(A_, options, nested);
    x_ = A_.make_x();
    const SolveResult result = solver.solve(b_, x_);
    EXPECT_EQ(result.stop, Stop::converged) << name << ": " << result.reason;
    EXPECT_EQ(result.iterations, 1) << name;
  }
}

/// On one rank alone, in the third call: the other ranks stop, and x is still good.
TEST_F(PreconditionerUse, AFunctionMayThrow) {
  int calls = 0;
  const auto copy = [&](Vector<double>& r, Vector<double>& z) {
    if (++calls == 3 && world().rank() == 0) throw std::string("enough");
    z.set(r.get());
  };
  Solver<double> solver(A_, options_for("none"), copy);
  x_ = A_.make_x();
  if (world().rank() == 0) {
    EXPECT_THROW(solver.solve(b_, x_), std::string);
  } else {
    const SolveResult result = solver.solve(b_, x_);
    EXPECT_EQ(result.stop, Stop::not_finite);
    EXPECT_LE(result.iterations, 3);
    EXPECT_LT(result.residual, 10);
  }
  for (const double value : x_.get()) EXPECT_TRUE(std::isfinite(value));
  calls = 3;
  EXPECT_EQ(solved(solver).stop, Stop::converged) << "the next solve begins anew";
}

TEST_F(PreconditionerUse, BadOptions) {
  const auto copy = [](Vector<double>& r, Vector<double>& z) { z.set(r.get()); };
  expect_error(Code::usage, "leave one out", [&] { Solver<double>(A_, options_for("jacobi"), copy); });
  SolveOptions options;
  for (const int degree : {0, 101}) {
    options.degree = degree;
    expect_error(Code::usage, "degree is " + std::to_string(degree), [&] { solved(options); });
  }
  options = {};
  for (const int block_size : {0, 65}) {
    options.block_size = block_size;
    expect_error(Code::usage, "block_size is " + std::to_string(block_size), [&] { solved(options); });
  }
  options = {};
  for (const double largest : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    options.largest_eigenvalue = largest;
    expect_error(Code::usage, "largest_eigenvalue is", [&] { solved(options); });
  }
  options = {};
  if (world().size() > 1) {
    options.degree = 2 + world().rank();
    expect_error(Code::usage, "degree", [&] { solved(options); });
    expect_error(Code::usage, "the caller's preconditioner", [&] {
      Solver<double>(A_, {}, world().rank() == 0 ? Solver<double>::PreconditionerFunction(copy) : nullptr);
    });
  }
  expect_error(Code::usage, "largest_block", [&] {
    Matrix<double>(context_, grid_.view, {{"largest_block", "65"}});
  });
}

TEST_F(PreconditionerUse, BlocksAndPolynomialsNameWhatTheyCannotTake) {
  CallersGrid<double> singular({6, 5});
  for (std::size_t i = 0; i < singular.ids.size(); ++i)
    for (gidx k = singular.row_ptr[i]; k < singular.row_ptr[i + 1]; ++k)
      if (singular.ids[i] == 17 && singular.columns[k] == 17) singular.values[k] = 0;
  Matrix<double> B(context_, singular.view);
  SolveOptions options = options_for("block_jacobi");
  options.block_size = 1;
  expect_error(Code::input, "row 18 (counted from 1) has no inverse", [&] { Solver<double>(B, options); });
  const CallersGrid<double> indefinite({9, 8, -4});
  Matrix<double> C(context_, indefinite.view);
  expect_error(Code::input, "diverges", [&] { Solver<double>(C, options_for("chebyshev")); });
}

}  // namespace
}  // namespace spmv::test
