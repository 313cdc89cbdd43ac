// Multigrid through the public interface, with levels that the caller brings.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "../../jobs/examples/multigrid.hpp"
#include "callers_grid.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Combination;
using spmv_dist::Context;
using spmv_dist::HierarchyOptions;
using spmv_dist::Level;
using spmv_dist::Matrix;
using spmv_dist::Side;
using spmv_dist::SolveOptions;
using spmv_dist::Solver;
using spmv_dist::SolveResult;
using spmv_dist::Stop;
using spmv_dist::Vector;
using spmv_dist::Workspace;

constexpr int finest = 4;  // 15 x 15 x 15 points

/// The transpose of the interpolation.
template <class T>
OwnRows<T> restriction(const Grid& coarse, const Grid& fine) {
  return make_rows<T>(coarse, fine, [](auto at, auto add) {
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z)
          add(2 * at[0] + 1 + x, 2 * at[1] + 1 + y, 2 * at[2] + 1 + z,
              1.0 / (1 << (std::abs(x) + std::abs(y) + std::abs(z))));
  });
}

template <class T>
std::vector<T> some_values(const Matrix<T>& A) {
  std::vector<T> values;
  for (const gidx id : A.ids(Side::x)) values.push_back(x_value<T>(id, 0));
  return values;
}

template <class T>
class LibraryHierarchies : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibraryHierarchies, Values);

TYPED_TEST(LibraryHierarchies, SolveInFewIterations) {
  using T = TypeParam;
  using Cycle = spmv_dist::Hierarchy<T>;
  SolveOptions wanted;
  wanted.tolerance = sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-10;
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    const PoissonLevels<T> rows(context, finest);
    for (const std::string format : {"pjds", "sell"})
      for (const HierarchyOptions& options : {HierarchyOptions(), HierarchyOptions{"jacobi", 1, "W"}}) {
        SCOPED_TRACE(backend + ", " + format + ", " + options.smoother);
        Matrix<T> A(context, rows.finest(), {{"format", format}});
        auto b = A.make_y(), x = A.make_x();
        x.set(some_values(A));
        multiply(A, x, b);
        x.set(std::vector<T>(some_values(A).size(), T(1)));
        Solver<T> solver(A, Cycle(A, rows.coarser(), options), wanted);
        const SolveResult result = solver.solve(b, x);
        EXPECT_EQ(result.stop, Stop::converged) << result.reason;
        EXPECT_LE(result.iterations, options.smoother == "jacobi" ? 16 : 11);
        EXPECT_LE(distance(x.get(), some_values(A)), 100 * wanted.tolerance);
        const std::string ranks =
            context.size() == 1 ? "" : " on " + std::to_string(context.size()) + ", 1 ranks";
        EXPECT_NE(solver.preconditioner().find("2 levels with 3375, 343 rows" + ranks + ", " + options.cycle),
                  std::string::npos)
            << solver.preconditioner();
      }
  }
}

/// P times a number of size 1 changes nothing, because R is its adjoint.
TYPED_TEST(LibraryHierarchies, LevelsWithoutRestrictionTakeTheAdjoint) {
  using T = TypeParam;
  const Context context(world_comm(), {{"backend", "debug"}});
  const Grid fine(7, context.rank(), context.size()), coarse(3, context.rank(), context.size());
  const OwnRows<T> rows = laplacian<T>(fine), of_coarse = laplacian<T>(coarse, 2);
  OwnRows<T> P = interpolation<T>(fine, coarse);
  Matrix<T> A(context, rows.view, {{"mode", "vector"}});
  auto r = A.make_x(), z = A.make_x();
  r.set(some_values(A));
  spmv_dist::Hierarchy<T>(A, {{of_coarse.view, P.view}}).apply(r, z);
  const std::vector<T> expected = z.get();
  T turn(-1);
  if constexpr (is_complex<T>) turn = T(RealOf<T>(0.6), RealOf<T>(0.8));
  for (T& value : P.values) value *= turn;
  spmv_dist::Hierarchy<T>(A, {{of_coarse.view, P.view}}).apply(r, z);
  EXPECT_LE(distance(z.get(), expected), 64 * double{std::numeric_limits<RealOf<T>>::epsilon()});
}

/// A solver of one's own: x += M^-1 (b - A x).
TYPED_TEST(LibraryHierarchies, CyclesAloneConverge) {
  using T = TypeParam;
  const Context context(world_comm(), {{"backend", "debug"}});
  const PoissonLevels<T> rows(context, finest);
  Matrix<T> A(context, rows.finest(), {{"mode", "vector"}});
  spmv_dist::Hierarchy<T> M(A, rows.coarser());
  auto b = A.make_y(), x = A.make_x(), r = A.make_x(), z = A.make_x();
  x.set(some_values(A));
  multiply(A, x, b);
  x.set(std::vector<T>(some_values(A).size()));
  Workspace<T> on(A);
  Combination<T> residual(on), advance(on);
  residual.set(r, b - r);
  advance.set(x, x + z);
  double before = on.norm(b);
  for (int i = 0; i < 4; ++i) {
    on.multiply(A, x, r);
    on.run(residual);
    z.set(std::vector<T>(some_values(A).size(), std::numeric_limits<RealOf<T>>::quiet_NaN()));
    M.apply(r, z);
    on.run(advance);
    on.multiply(A, x, r);
    on.run(residual);
    const double after = on.norm(r);
    EXPECT_LE(after, 0.35 * before);
    before = after;
  }
}

TEST(ScaledHierarchies, TakeTheSameIterations) {
  const Context context(world_comm(), {{"backend", "debug"}});
  int iterations = -1;
  for (const double scale : {1.0, std::ldexp(1.0, -700), std::ldexp(1.0, 700)}) {
    const Grid fine(15, context.rank(), context.size()), coarse(7, context.rank(), context.size());
    const OwnRows<double> rows = laplacian<double>(fine, scale),
                          of_coarse = laplacian<double>(coarse, 2 * scale);
    const OwnRows<double> P = interpolation<double>(fine, coarse), R = restriction<double>(coarse, fine);
    Matrix<double> A(context, rows.view, {{"mode", "vector"}, {"format", "sell"}});
    spmv_dist::Hierarchy<double> M(A, {{of_coarse.view, P.view, R.view}}),
        same(A, {{of_coarse.view, P.view}});
    auto b = A.make_y(), x = A.make_x(), z = A.make_x();
    b.set(some_values(A));
    const SolveResult result = Solver<double>(A, M).solve(b, x);
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    if (iterations < 0) iterations = result.iterations;
    EXPECT_EQ(result.iterations, iterations) << scale;
    M.apply(b, z);  // as far from the solution as one cycle is
    const auto scaled_back = [scale](std::vector<double> values) {
      for (double& value : values) value *= scale;
      return values;
    };
    EXPECT_LE(distance(scaled_back(z.get()), scaled_back(x.get())), 0.4) << scale;
    const std::vector<double> by_given_restriction = z.get();
    same.apply(b, z);
    EXPECT_EQ(z.get(), by_given_restriction);
  }
}

class HierarchyUse : public testing::Test {
 protected:
  using Rows = OwnRows<double>;
  void refuses(Code code, const std::string& text, const std::vector<Level<double>>& levels,
               const HierarchyOptions& options = {}) {
    expect_error(code, text, [&] { spmv_dist::Hierarchy<double>(A_, levels, options); });
  }
  static bool holds_row(const Grid& grid, gidx row) { return row >= grid.first && row < grid.end; }

  const Context context_{world_comm(), {{"backend", "debug"}}};
  const Grid fine_{7, context_.rank(), context_.size()}, coarse_{3, context_.rank(), context_.size()};
  const Rows rows_ = laplacian<double>(fine_);
  Rows of_coarse_ = laplacian<double>(coarse_, 2);
  const Rows P_ = interpolation<double>(fine_, coarse_), R_ = restriction<double>(coarse_, fine_);
  Matrix<double> A_{context_, rows_.view, {{"mode", "vector"}}};
  const std::vector<Level<double>> levels_{{of_coarse_.view, P_.view, R_.view}};
};

TEST_F(HierarchyUse, LevelsThatDoNotFitAreRefused) {
  refuses(Code::input, "the rows of P of level 1 of the hierarchy are not the rows of A of level 0",
          {{of_coarse_.view, R_.view, R_.view}});
  refuses(
      Code::input, "the columns of R of level 1 of the hierarchy",
      {{of_coarse_.view, P_.view, restriction<double>(coarse_, {8, context_.rank(), context_.size()}).view}});
  spmv_dist::Rows<double> outside = P_.view;
  outside.global_cols = 26;
  refuses(Code::input, "P of level 1 of the hierarchy: ", {{of_coarse_.view, outside, R_.view}});
  refuses(Code::input, "which is meant for 20 at most", levels_, {"chebyshev", 1, "V", 20});
  Matrix<double> wide(context_, P_.view);
  expect_error(Code::usage, "need a square one", [&] { spmv_dist::Hierarchy<double>(wide, levels_); });
}

TEST_F(HierarchyUse, BadDiagonalsAreRefusedWithLevelAndRow) {
  for (const double bad : {0.0, -1.0}) {
    if (holds_row(coarse_, 13))
      of_coarse_.values[static_cast<std::size_t>(
          of_coarse_.row_ptr[static_cast<std::size_t>(13 - coarse_.first)])] = bad;
    refuses(
        Code::input,
        "level 1 of the hierarchy has " + std::string(bad == 0 ? "0" : "-1") + " on its diagonal in row 14",
        levels_);
  }
}

TEST_F(HierarchyUse, SingularCoarsestLevelsAreRefused) {
  for (std::size_t k = 0; k < of_coarse_.values.size(); ++k) of_coarse_.values[k] = 1;
  const Grid pair(2, context_.rank(), context_.size());
  Rows ones = make_rows<double>(pair, pair, [](auto, auto add) {
    for (int i = 0; i < 8; ++i) add(i % 2, i / 2 % 2, i / 4, 1);
  });
  const Rows P =
      make_rows<double>(fine_, pair, [](auto at, auto add) { add(at[0] / 4, at[1] / 4, at[2] / 4, 1); });
  const Rows R =
      make_rows<double>(pair, fine_, [](auto at, auto add) { add(4 * at[0], 4 * at[1], 4 * at[2], 1); });
  refuses(Code::input, "level 1 of the hierarchy, the coarsest, has no inverse",
          {{ones.view, P.view, R.view}});
}

TEST_F(HierarchyUse, OptionsAreChecked) {
  refuses(Code::usage, "unknown smoother 'gauss'; known are: chebyshev, jacobi", levels_, {"gauss"});
  refuses(Code::usage, "unknown cycle 'F'; known are: V, W", levels_, {"chebyshev", 1, "F"});
  refuses(Code::usage, "a smoother of degree -1", levels_, {"chebyshev", -1});
  if (context_.size() > 1)
    refuses(Code::usage, "degree", levels_, {"chebyshev", 1 + (context_.rank() > 0 ? 1 : 0)});
}

TEST_F(HierarchyUse, BelongsToOneMatrixAndItsValues) {
  spmv_dist::Hierarchy<double> M(A_, levels_);
  Matrix<double> other(context_, rows_.view);
  expect_error(Code::usage, "belongs to another matrix", [&] { Solver<double>(other, M); });
  SolveOptions named;
  named.preconditioner = "jacobi";
  expect_error(Code::usage, "a hierarchy was given as well", [&] { Solver<double>(A_, M, named); });
  auto b = A_.make_y(), x = A_.make_x();
  b.set(some_values(A_));
  Solver<double> solver(A_, M);
  EXPECT_EQ(solver.solve(b, x).stop, Stop::converged);
  expect_error(Code::usage, "the same memory", [&] { M.apply(b, b); });
  A_.update_values(rows_.values.data(), static_cast<gidx>(rows_.values.size()));
  expect_error(Code::usage, "make a new Hierarchy", [&] { solver.solve(b, x); });
  expect_error(Code::usage, "make a new Hierarchy", [&] { M.apply(b, x); });
  Matrix<double> moved(context_, rows_.view, {{"partition", "metis"}});
  if (moved.keeps_distribution()) return;
  expect_error(Code::usage, "partition=keep", [&] { spmv_dist::Hierarchy<double>(moved, levels_); });
}

/// A cycle that is not positive definite ends the iteration with a reason.
TEST_F(HierarchyUse, IndefiniteCyclesBreakDown) {
  Rows R = restriction<double>(coarse_, fine_);
  for (double& value : R.values) value *= -8;
  spmv_dist::Hierarchy<double> M(A_, {{of_coarse_.view, P_.view, R.view}});
  auto b = A_.make_y(), x = A_.make_x();
  b.set(std::vector<double>(some_values(A_).size(), 1));
  const SolveResult result = Solver<double>(A_, M).solve(b, x);
  EXPECT_EQ(result.stop, Stop::broke_down);
  EXPECT_NE(result.reason.find("preconditioner is not positive definite"), std::string::npos)
      << result.reason;
}

/// Rows that are dealt in any order, with levels in the caller's ids.
TEST_F(HierarchyUse, IdsMayBeInAnyOrder) {
  const auto reversed = [&](Rows& rows, const std::vector<gidx>& ids) {
    Rows turned;
    for (std::size_t i = ids.size(); i-- > 0;) {
      for (gidx k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
        turned.columns.push_back(rows.columns[static_cast<std::size_t>(k)]);
        turned.values.push_back(rows.values[static_cast<std::size_t>(k)]);
      }
      turned.row_ptr.push_back(static_cast<gidx>(turned.columns.size()));
    }
    turned.view = rows.view;
    turned.view.row_ptr = turned.row_ptr.data();
    turned.view.columns = turned.columns.data();
    turned.view.values = turned.values.data();
    return turned;
  };
  std::vector<gidx> ids[2], turned_ids[2];
  for (const auto& [grid, at] : {std::pair{&fine_, 0}, {&coarse_, 1}}) {
    for (gidx id = grid->first; id < grid->end; ++id) ids[at].push_back(id);
    turned_ids[at].assign(ids[at].rbegin(), ids[at].rend());
  }
  Rows rows = laplacian<double>(fine_), P = interpolation<double>(fine_, coarse_),
       R = restriction<double>(coarse_, fine_);
  Rows A = reversed(rows, ids[0]), B = reversed(of_coarse_, ids[1]), down = reversed(R, ids[1]),
       up = reversed(P, ids[0]);
  A.view.row_ids = up.view.row_ids = down.view.x_ids = turned_ids[0].data();
  B.view.row_ids = down.view.row_ids = up.view.x_ids = turned_ids[1].data();
  Matrix<double> turned(context_, A.view);
  auto b = A_.make_y(), x = A_.make_x(), turned_b = turned.make_y(), turned_x = turned.make_x();
  b.set(some_values(A_));
  turned_b.set(some_values(turned));
  const SolveResult result = Solver<double>(A_, spmv_dist::Hierarchy<double>(A_, levels_)).solve(b, x);
  const SolveResult same =
      Solver<double>(turned, spmv_dist::Hierarchy<double>(turned, {{B.view, up.view, down.view}}))
          .solve(turned_b, turned_x);
  EXPECT_EQ(same.stop, Stop::converged) << same.reason;
  EXPECT_NEAR(same.iterations, result.iterations, 1);
  for (std::size_t i = 0; i < turned_ids[1].size(); ++i)
    for (gidx k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k)
      if (turned_ids[1][i] == 5 && B.columns[static_cast<std::size_t>(k)] == 5)
        B.values[static_cast<std::size_t>(k)] = 0;
  expect_error(Code::input, "level 1 of the hierarchy has 0 on its diagonal in row 6 (", [&] {
    spmv_dist::Hierarchy<double>(turned, {{B.view, up.view, down.view}});
  });
  const std::vector<double> values = turned_x.get();
  EXPECT_LE(distance(std::vector<double>(values.rbegin(), values.rend()), x.get()), 1e-6);
}

}  // namespace
}  // namespace spmv::test
