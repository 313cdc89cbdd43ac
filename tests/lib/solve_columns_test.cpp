// Several right-hand sides side by side through the public interface, against a solve of each alone.
#include <limits>
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
using spmv_dist::Side;
using spmv_dist::SolveOptions;
using spmv_dist::Solver;
using spmv_dist::SolveResult;
using spmv_dist::Stop;
using spmv_dist::Vector;

template <class T>
SolveOptions solve_options_for(const std::string& preconditioner = "none", const std::string& solver = "cg") {
  SolveOptions options;
  options.solver = solver;
  options.preconditioner = preconditioner;
  options.tolerance = sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-11;
  return options;
}

/// B = A X of solutions that take different numbers of iterations: column 0 is 0, column 1 has few elements that are not, and
/// the size of the others differs.
template <class T>
class Systems {
 public:
  Systems(Matrix<T>& A, int columns) : B(A, Side::y, columns), X(A, Side::x, columns), guess_(X.get()) {
    for (int j = 0; j < columns; ++j) {
      Vector<T> x = A.make_x(), b = A.make_y();
      std::vector<T> values;
      for (const gidx id : A.ids(Side::x)) {
        const bool is_there = j > 1 || (j == 1 && id % 50 == 7);
        values.push_back(is_there ? x_value<T>(id, static_cast<unsigned>(j)) * RealOf<T>(j * j) : T(0));
      }
      x.set(values);
      multiply(A, x, b);
      B.set_column(j, b);
      known_.push_back(values);
    }
    // Where there is no right-hand side, x is 0 whatever the guess; the last column begins with its solution.
    for (int j = 0; j < columns; ++j) {
      Vector<T> x = A.make_x();
      if (j == 0) x.set(std::vector<T>(known_[0].size(), T(3)));
      if (j + 1 == columns) x.set(known_.back());
      X.set_column(j, x);
    }
    guess_ = X.get();
  }

  /// Solves all columns together and each alone, and compares.
  void solve_with(Matrix<T>& A, Solver<T>& solver) {
    X.set(guess_);
    const double tolerance = solve_options_for<T>().tolerance;
    const std::vector<SolveResult> together = solver.solve(B, X);
    const std::vector<T> all = X.get();
    ASSERT_EQ(together.size(), known_.size());
    X.set(guess_);
    for (std::size_t j = 0; j < together.size(); ++j) {
      SCOPED_TRACE("column " + std::to_string(j));
      const auto column = static_cast<int>(j);
      Vector<T> x = X.column(column);
      const SolveResult alone = solver.solve(B.column(column), x);
      EXPECT_EQ(together[j].stop, Stop::converged) << together[j].reason;
      EXPECT_EQ(together[j].reason, "");
      EXPECT_NEAR(together[j].iterations, alone.iterations, 1);
      EXPECT_EQ(together[j].iterations == 0, alone.iterations == 0);
      EXPECT_LE(together[j].residual, 1.05 * tolerance);
      EXPECT_EQ(together[j].history.size() > 1, alone.history.size() > 1);
      std::vector<T> own;
      for (std::size_t i = j; i < all.size(); i += together.size()) own.push_back(all[i]);
      if (j == 0)
        EXPECT_EQ(own, known_[0]);
      else
        EXPECT_LE(distance(own, known_[j]), 100 * tolerance);
      for (const int others : world().all_gather(together[j].iterations))
        EXPECT_EQ(others, together[j].iterations);
    }
    EXPECT_EQ(A.size(Side::x), static_cast<gidx>(known_[0].size()));
  }

  MultiVector<T> B, X;

 private:
  std::vector<std::vector<T>> known_;
  std::vector<T> guess_;
};

template <class T>
class LibrarySolveColumns : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibrarySolveColumns, Values);

TYPED_TEST(LibrarySolveColumns, AsEachAlone) {
  using T = TypeParam;
  const CallersGrid<T> mine({13, 11, 0.2, true});
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const std::string mode : {"vector", "task", "device"}) {
      if (backend == "debug" && mode == "vector") continue;
      const std::string transport = mode == "device" ? "shm" : "staged";
      Matrix<T> A(context, mine.view,
                  {{"mode", mode},
                   {"format", mode == "task" ? "pjds" : "sell"},
                   {"transport", transport},
                   {"partition", mode == "task" ? "metis" : "keep"}});
      std::vector<std::string> preconditioners{"jacobi"};
      if (backend == "host" && mode == "vector")
        preconditioners = {"none", "jacobi", "block_jacobi", "chebyshev"};
      Systems<T> three(A, 3), seven(A, 7);
      for (const std::string& preconditioner : preconditioners) {
        SCOPED_TRACE(backend + ", " + mode + ", " + preconditioner);
        Solver<T> solver(A, solve_options_for<T>(preconditioner));
        three.solve_with(A, solver);
        if (backend == "debug") continue;
        seven.solve_with(A, solver);
        three.solve_with(A, solver);
      }
    }
  }
}

TYPED_TEST(LibrarySolveColumns, WithEverySolver) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "host"}});
  Matrix<T> A(context, mine.view, {{"transport", "staged"}});
  Systems<T> systems(A, 5);
  for (const std::string name : {"cg_classical", "cg_pipelined", "minres", "bicgstab", "bicgstab_2"}) {
    SCOPED_TRACE(name);
    SolveOptions options = solve_options_for<T>("jacobi", name);
    options.tolerance = sizeof(RealOf<T>) == sizeof(float) ? 1e-4 : 1e-9;
    MultiVector<T> X(A, Side::x, 5);
    for (const SolveResult& result : solve(A, systems.B, X, options)) {
      EXPECT_EQ(result.stop, Stop::converged) << result.reason;
      EXPECT_LE(result.residual, 1.05 * options.tolerance);
    }
  }
}

/// The preconditioner and the vectors for several columns are made anew, too: as those of a solver that knows no other values.
TYPED_TEST(LibrarySolveColumns, FollowOtherValues) {
  using T = TypeParam;
  const CallersGrid<T> plain, scaled({13, 11, 0.2, true});
  const Context context(world_comm(), {{"backend", "host"}});
  Matrix<T> A(context, plain.view, {{"transport", "staged"}});
  Solver<T> solver(A, solve_options_for<T>("jacobi"));
  Systems<T>(A, 4).solve_with(A, solver);
  A.update_values(scaled.values.data(), scaled.view.elements);
  Systems<T> systems(A, 4);
  systems.solve_with(A, solver);
  MultiVector<T> X(A, Side::x, 4), fresh_X(A, Side::x, 4);
  const std::vector<SolveResult> results = solver.solve(systems.B, X);
  const std::vector<SolveResult> fresh = solve(A, systems.B, fresh_X, solve_options_for<T>("jacobi"));
  for (std::size_t j = 0; j < fresh.size(); ++j) EXPECT_EQ(results[j].history, fresh[j].history);
  EXPECT_EQ(X.get(), fresh_X.get());
}

/// The caller's own preconditioner multiplies vectors and multivectors by the matrix that is being solved.
TYPED_TEST(LibrarySolveColumns, GivenPreconditionersTakeOneAfterAnother) {
  using T = TypeParam;
  for (const std::string mode : {"vector", "task"}) {
    const Context context(world_comm(), {{"backend", mode == "vector" ? "host" : "debug"}});
    const PoissonLevels<T> rows(context, 3);
    Matrix<T> A(context, rows.finest(), {{"mode", mode}, {"transport", "staged"}});
    Systems<T> systems(A, 4);
    SolveOptions options = solve_options_for<T>();
    Solver<T> cycles(A, spmv_dist::Hierarchy<T>(A, rows.coarser()), options);
    systems.solve_with(A, cycles);
    Vector<T> other = A.make_y();
    MultiVector<T> several(A, Side::x, 3), product(A, Side::y, 3);
    int calls = 0;
    Solver<T> function(A, options, [&](Vector<T>& r, Vector<T>& z) {
      ++calls;
      multiply(A, r, other);
      multiply(A, several, product);
      std::vector<T> half = r.get();
      for (T& value : half) value /= T(2);
      z.set(half);
    });
    systems.solve_with(A, function);
    EXPECT_GT(calls, 4);
  }
}

class SolveColumnsUse : public testing::Test {
 protected:
  const CallersGrid<double> mine_{{30, 20, 0}};
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<double> A_{context_, mine_.view, {{"transport", "staged"}}};
};

/// One column that cannot be solved leaves the others as they are.
TEST_F(SolveColumnsUse, EachColumnHasItsReason) {
  Systems<double> systems(A_, 3);
  SolveOptions options;
  options.max_iterations = 5;
  const std::vector<SolveResult> few = solve(A_, systems.B, systems.X, options);
  EXPECT_EQ(few[0].stop, Stop::converged);
  EXPECT_EQ(few[1].stop, Stop::iterations);
  EXPECT_EQ(few[1].iterations, 5);
  EXPECT_NE(few[1].reason.find("5 iterations were not enough"), std::string::npos) << few[1].reason;
  EXPECT_EQ(few[2].stop, Stop::converged);
  EXPECT_EQ(few[2].iterations, 0);
}

TEST_F(SolveColumnsUse, AWatchMayMultiplyAndStop) {
  Systems<double> systems(A_, 3);
  Vector<double> x = A_.make_x(), y = A_.make_y(), expected = A_.make_y();
  x.set(mine_.x);
  multiply(A_, x, expected);
  SolveOptions options;
  options.watch = [&](int iterations, double) {
    multiply(A_, x, y);
    EXPECT_EQ(y.get(), expected.get());
    return iterations >= 16;
  };
  const std::vector<SolveResult> asked = solve(A_, systems.B, systems.X, options);
  EXPECT_EQ(asked[0].stop, Stop::converged);
  EXPECT_EQ(asked[1].stop, Stop::asked);
  EXPECT_GE(asked[1].iterations, 16);
}

TEST_F(SolveColumnsUse, BadArguments) {
  MultiVector<double> two(A_, Side::x, 2), three(A_, Side::x, 3), b(A_, Side::y, 3);
  Solver<double> solver(A_);
  expect_error(Code::usage, "b has 3 columns and x 2", [&] { solver.solve(b, two); });
  expect_error(Code::usage, "overlap", [&] { solver.solve(b, b); });
  Matrix<double> B(context_, mine_.view, {{"transport", "staged"}});
  MultiVector<double> of_other(B, Side::x, 3);
  expect_error(Code::usage, "another matrix", [&] { solver.solve(b, of_other); });
  expect_error(Code::usage, "another matrix", [&] { solve(B, b, of_other); });
  std::vector<double> bad = b.get();
  if (!bad.empty()) bad.back() = std::numeric_limits<double>::infinity();
  b.set(bad);
  expect_error(Code::input, " is inf (counted from 1)", [&] { solver.solve(b, three); });
  if (world().size() > 1) {
    MultiVector<double> fits_b(A_, Side::y, 2);
    const bool first = world().rank() == 0;
    expect_error(Code::usage, "the number of columns",
                 [&] { first ? solver.solve(fits_b, two) : solver.solve(b, three); });
  }
}

}  // namespace
}  // namespace spmv::test
