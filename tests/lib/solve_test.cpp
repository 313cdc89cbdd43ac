// Solvers through the public interface.
#include "spmv_dist/solve.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "callers_grid.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::Side;
using spmv_dist::SolveOptions;
using spmv_dist::Solver;
using spmv_dist::SolveResult;
using spmv_dist::Stop;
using spmv_dist::Vector;

template <class T>
constexpr double reachable = sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-11;

template <class T>
SolveOptions options_for(const std::string& preconditioner = "none") {
  SolveOptions options;
  options.preconditioner = preconditioner;
  options.tolerance = reachable<T>;
  return options;
}

template <class T>
class LibrarySolvers : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibrarySolvers, Values);

template <class T>
void expect_solution(const SolveResult& result, const Vector<T>& x, const std::vector<T>& expected) {
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_EQ(result.reason, "");
  EXPECT_LE(result.residual, 1.05 * reachable<T>);
  EXPECT_EQ(static_cast<int>(result.history.size()), result.iterations + 1 + result.restarts);
  EXPECT_LE(distance(x.get(), expected), 100 * reachable<T>);
  for (const int others : world().all_gather(result.iterations)) EXPECT_EQ(others, result.iterations);
}

TYPED_TEST(LibrarySolvers, FindTheSolution) {
  using T = TypeParam;
  const CallersGrid<T> mine({13, 11, 0.2, true}), few({2, 1});
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const CallersGrid<T>* grid : {&mine, &few})
      for (const std::string mode : {"vector", "task", "device"})
        for (const std::string partition : {"keep", "metis"}) {
          // Trials take long, and only mode device needs a transport that is found by them.
          const std::string transport = mode == "device" ? "auto" : "staged";
          Matrix<T> A(
              context, grid->view,
              {{"mode", mode}, {"format", "pjds"}, {"transport", transport}, {"partition", partition}});
          auto b = A.make_y(), x = A.make_x();
          b.set(A.to_matrix(Side::y, grid->b));
          std::vector<std::string> preconditioners{"none", "jacobi"};
          if (mode == "vector") preconditioners = {"none", "jacobi", "block_jacobi", "chebyshev"};
          for (const std::string& preconditioner : preconditioners) {
            SCOPED_TRACE(backend + ", " + mode + ", " + partition + ", " + preconditioner);
            x.set(std::vector<T>(static_cast<std::size_t>(x.size()), T(0)));
            const SolveResult result = solve(A, b, x, options_for<T>(preconditioner));
            expect_solution(result, x, A.to_matrix(Side::x, grid->x));
          }
        }
  }
}

TYPED_TEST(LibrarySolvers, ViewsOfTheCallersMemory) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    Matrix<T> A(context, mine.view, {{"format", "pjds"}, {"transport", "staged"}});
    for (const gidx count : {A.size(Side::x), A.capacity(Side::x)}) {
      std::vector<T> x_memory(static_cast<std::size_t>(count)), b_memory(static_cast<std::size_t>(count));
      auto x = A.view(Side::x, x_memory.data(), count), b = A.view(Side::y, b_memory.data(), count);
      b.set(mine.b);
      const std::vector<T> before(b_memory.begin(), b_memory.begin() + A.size(Side::y));
      expect_solution(solve(A, b, x, options_for<T>()), x, mine.x);
      EXPECT_EQ(before, std::vector<T>(b_memory.begin(), b_memory.begin() + A.size(Side::y)));
    }
  }
}

TYPED_TEST(LibrarySolvers, OneSolverForSeveralRightHandSides) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "debug"}});
  Matrix<T> A(context, mine.view, {{"transport", "staged"}, {"updates", "off"}});
  auto b = A.make_y(), x = A.make_x();
  Solver<T> none(A, options_for<T>()), jacobi(A, options_for<T>("jacobi"));
  for (const double factor : {1.0, -2.0, 3.0}) {
    std::vector<T> wanted = mine.x, right = mine.b;
    for (T& value : wanted) value *= static_cast<RealOf<T>>(factor);
    for (T& value : right) value *= static_cast<RealOf<T>>(factor);
    b.set(right);
    expect_solution(none.solve(b, x), x, wanted);
    EXPECT_EQ(jacobi.solve(b, x).iterations, 0) << "x is the solution already";
    x.set(std::vector<T>(right.size(), T(0)));
    auto fresh_x = A.make_x();
    EXPECT_EQ(jacobi.solve(b, x).history, solve(A, b, fresh_x, options_for<T>("jacobi")).history);
    EXPECT_EQ(x.get(), fresh_x.get());
  }
}

/// Values that change what the preconditioner is made of, so that an old one would show.
TYPED_TEST(LibrarySolvers, OtherValuesForThePattern) {
  using T = TypeParam;
  const CallersGrid<T> plain, scaled({13, 11, 0.2, true});
  const Context context(world_comm(), {{"backend", "host"}});
  for (const std::string partition : {"keep", "metis"}) {
    // One format: another would round otherwise.
    const spmv_dist::Options options{{"transport", "staged"}, {"partition", partition}, {"format", "sell"}};
    Matrix<T> A(context, plain.view, options), fresh(context, scaled.view, options);
    auto b = A.make_y(), x = A.make_x(), fresh_b = fresh.make_y(), fresh_x = fresh.make_x();
    for (const std::string preconditioner : {"jacobi", "block_jacobi", "chebyshev"}) {
      SCOPED_TRACE(partition + ", " + preconditioner);
      A.update_values(plain.values.data(), plain.view.elements);
      Solver<T> solver(A, options_for<T>(preconditioner));
      b.set(A.to_matrix(Side::y, plain.b));
      x = A.make_x();
      expect_solution(solver.solve(b, x), x, A.to_matrix(Side::x, plain.x));
      A.update_values(scaled.values.data(), scaled.view.elements);
      b.set(A.to_matrix(Side::y, scaled.b));
      fresh_b.set(fresh.to_matrix(Side::y, scaled.b));
      x = A.make_x();
      fresh_x = fresh.make_x();
      const SolveResult result = solver.solve(b, x);
      expect_solution(result, x, A.to_matrix(Side::x, scaled.x));
      EXPECT_EQ(result.history, solve(fresh, fresh_b, fresh_x, options_for<T>(preconditioner)).history);
    }
  }
}

class SolverUse : public testing::Test {
 protected:
  SolveResult solved(const SolveOptions& options) {
    x_ = A_.make_x();
    return solve(A_, b_, x_, options);
  }
  const CallersGrid<double> mine_{{30, 20, 0}};
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<double> A_{context_, mine_.view, {{"transport", "staged"}}};
  Vector<double> b_ = A_.make_y(), x_ = A_.make_x();
};

TEST_F(SolverUse, StopsAreValues) {
  b_.set(mine_.b);
  SolveOptions options;
  options.max_iterations = 5;
  const SolveResult few = solved(options);
  EXPECT_EQ(few.stop, Stop::iterations);
  EXPECT_EQ(few.iterations, 5);
  EXPECT_GT(few.residual, options.tolerance);
  EXPECT_NE(few.reason.find("5 iterations were not enough"), std::string::npos) << few.reason;
  options = {};
  options.tolerance = 1e-18;
  EXPECT_EQ(solved(options).stop, Stop::stagnated);
  options = {};
  options.watch = [](int iterations, double) { return world().rank() == 0 && iterations >= 16; };
  const SolveResult asked = solved(options);
  EXPECT_EQ(asked.stop, Stop::asked);
  EXPECT_GE(asked.iterations, 16);
  b_.set(std::vector<double>(mine_.b.size(), 0));
  const SolveResult nothing = solved({});
  EXPECT_EQ(nothing.stop, Stop::converged);
  EXPECT_EQ(nothing.iterations, 0);
  EXPECT_STREQ(to_string(Stop::broke_down), "broke_down");

  const CallersGrid<double> indefinite({30, 20, -3});
  Matrix<double> B(context_, indefinite.view);
  auto b = B.make_y(), x = B.make_x();
  b.set(indefinite.b);
  const SolveResult broken = solve(B, b, x);
  EXPECT_EQ(broken.stop, Stop::broke_down);
  EXPECT_NE(broken.reason.find("not positive definite"), std::string::npos) << broken.reason;
}

/// A watch of one rank alone: it throws there, and the other ranks stop.
TEST_F(SolverUse, AWatchMayThrow) {
  b_.set(mine_.b);
  SolveOptions options;
  if (world().rank() == 0) options.watch = [](int, double) -> bool { throw std::string("enough"); };
  Solver<double> solver(A_, options);
  if (world().rank() == 0)
    EXPECT_THROW(solver.solve(b_, x_), std::string);
  else
    EXPECT_EQ(solver.solve(b_, x_).stop, Stop::asked);
}

TEST_F(SolverUse, BadArguments) {
  b_.set(mine_.b);
  SolveOptions options;
  options.solver = "sor";
  expect_error(Code::usage, "unknown solver 'sor'", [&] { solved(options); });
  options = {};
  options.preconditioner = "magic";
  expect_error(Code::usage, "unknown preconditioner 'magic'", [&] { solved(options); });
  options = {};
  options.tolerance = std::nan("");
  expect_error(Code::usage, "tolerance", [&] { solved(options); });
  if (world().size() > 1) {
    options.tolerance = world().rank() == 0 ? 1e-3 : 1e-4;
    expect_error(Code::usage, "the tolerance", [&] { solved(options); });
  }
  Matrix<double> other(context_, mine_.view);
  auto strange = other.make_x();
  expect_error(Code::usage, "another matrix", [&] { solve(A_, strange, x_); });
  expect_error(Code::usage, "another matrix", [&] { solve(A_, b_, strange); });
  expect_error(Code::usage, "overlap", [&] { solve(A_, b_, b_); });
  std::vector<double> bad = mine_.b;
  if (!bad.empty()) bad.back() = std::numeric_limits<double>::infinity();
  b_.set(bad);
  expect_error(Code::input, " is inf (counted from 1)", [&] { solved({}); });

  const CallersRows<double> wide(matrix_where("wide", 6, 9, [](gidx, gidx) { return true; }), Deal::blocks);
  Matrix<double> B(context_, wide.view);
  auto b = B.make_y(), x = B.make_x();
  expect_error(Code::usage, "square", [&] { solve(B, b, x); });
}

/// The caller's values, with NaN in one element.
std::vector<double> with_nan(const CallersGrid<double>& grid, gidx row, gidx column) {
  std::vector<double> values = grid.values;
  for (std::size_t i = 0; i < grid.ids.size(); ++i)
    for (gidx k = grid.row_ptr[i]; k < grid.row_ptr[i + 1]; ++k)
      if (grid.ids[i] == row && grid.columns[k] == column)
        values[k] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

/// In every element beside the diagonal: some of their columns are on other ranks, where METIS gives them other ids.
TEST_F(SolverUse, NamesValuesOfTheMatrixThatAreNotFinite) {
  const CallersGrid<double> grid({6, 5});
  Matrix<double> B(context_, grid.view, {{"partition", "metis"}});
  auto b = B.make_y(), x = B.make_x();
  const Solver<double> solver(B);
  for (gidx row = 0; row < 30; ++row)
    for (const gidx column : {row - 6, row + 6, row % 6 < 5 ? row + 1 : -1}) {
      if (column < 0 || column >= 30) continue;
      const std::vector<double> bad = with_nan(grid, row, column);
      B.update_values(bad.data(), static_cast<std::int64_t>(bad.size()));
      const std::string named =
          "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) + " is nan";
      expect_error(Code::input, named, [&] { Solver<double>(solver).solve(b, x); });
      expect_error(Code::input, named, [&] { solve(B, b, x); });
    }
  B.update_values(grid.values.data(), static_cast<std::int64_t>(grid.values.size()));
  EXPECT_NO_THROW(solve(B, b, x));
}

TEST_F(SolverUse, JacobiNamesTheCallersRow) {
  CallersGrid<double> grid({6, 5});
  for (std::size_t i = 0; i < grid.ids.size(); ++i)
    for (gidx k = grid.row_ptr[i]; k < grid.row_ptr[i + 1]; ++k)
      if (grid.ids[i] == 17 && grid.columns[k] == 17) grid.values[k] = -1;
  Matrix<double> B(context_, grid.view);
  auto b = B.make_y(), x = B.make_x();
  expect_error(Code::input, "row 18 (counted from 1) has -1", [&] { solve(B, b, x, {"cg", "jacobi"}); });
}

}  // namespace
}  // namespace spmv::test
