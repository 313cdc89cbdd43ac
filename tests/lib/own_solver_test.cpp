// What solvers of a caller's own are made of.
#include <cmath>
#include <limits>
#include <string>

#include "../../jobs/examples/own_cg.hpp"
#include "callers_grid.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Combination;
using spmv_dist::Context;
using spmv_dist::Line;
using spmv_dist::Matrix;
using spmv_dist::Number;
using spmv_dist::Side;
using spmv_dist::slot;
using spmv_dist::Vector;
using spmv_dist::Workspace;

template <class T>
class OwnSolvers : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(OwnSolvers, Values);

TYPED_TEST(OwnSolvers, OwnCgDoesWhatSolveDoes) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  spmv_dist::SolveOptions options;
  options.tolerance = sizeof(RealOf<T>) == sizeof(float) ? 1e-4 : 1e-10;
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const std::string mode : {"vector", "device"}) {
      Matrix<T> A(context, mine.view, {{"mode", mode}, {"format", "pjds"}});
      auto b = A.make_y(), x = A.make_x(), own = A.make_x();
      b.set(mine.b);
      const spmv_dist::SolveResult result = solve(A, b, x, options);
      ASSERT_EQ(result.restarts, 0);
      EXPECT_EQ(own_cg(A, b, own, options.tolerance).iterations, result.iterations);
      EXPECT_EQ(own.get(), x.get());
      EXPECT_LE(distance(own.get(), mine.x), 100 * options.tolerance);
    }
  }
}

/// All kinds of numbers and steps, against the same on one rank in double.
TYPED_TEST(OwnSolvers, CombinationsAndNumbers) {
  using T = TypeParam;
  using C = std::complex<double>;
  const CallersGrid<T> mine;
  const double near = sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-13;
  const Context context(world_comm(), {{"backend", "debug"}});
  Matrix<T> A(context, mine.view, {{"format", "pjds"}});
  auto x = A.make_x(), y = A.make_y(), z = A.make_x();
  x.set(mine.x);
  y.set(mine.b);
  C xy = 0, yyx = 0;
  for (std::size_t i = 0; i < mine.x.size(); ++i) {
    xy += std::conj(C(mine.x[i])) * C(mine.b[i]);
    yyx += std::conj(C(mine.b[i])) * C(mine.x[i]) * C(mine.b[i]);
  }
  xy = {world().sum(xy.real()), world().sum(xy.imag())};
  yyx = {world().sum(yyx.real()), world().sum(yyx.imag())};
  Workspace<T> on(A);
  EXPECT_NEAR(std::abs(C(on.dot(x, y)) - xy), 0, near * std::abs(xy));

  y.set(std::vector<T>(mine.b.size(), T(7)));
  on.multiply_and_sum(A, x, y, 3, 0, x);  // y = A x, (x, y) and (y, x y)
  EXPECT_LE(distance(y.get(), mine.b), near);
  EXPECT_NEAR(std::abs(C(on.value(3)) - xy), 0, 1e2 * near * std::abs(xy));
  EXPECT_NEAR(std::abs(C(on.value(0)) - yyx), 0, 1e2 * near * std::abs(yyx));
  on.norm(x);
  EXPECT_NEAR(std::abs(C(on.value(3)) - xy), 0, 1e2 * near * std::abs(xy)) << "norms change no slot";

  Combination<T> c(on);
  const Number half = 0.5, f = slot(3);
  c.set(z, 2 * x - half * y).set(z, z + y - x).multiply(x, x, z).sum(1, z, z);
  c.store(4, conjugate(f) * 3).store(5, where(1 < half, f / 0)).store(6, (0 < half) * (half < 1));
  c.record(2, root(f * conjugate(f))).record(0, f - f + 1);
  on.run(c);
  std::vector<T> expected_z, expected_x;
  double zz = 0;
  for (std::size_t i = 0; i < mine.x.size(); ++i) {
    expected_z.push_back(mine.x[i] + static_cast<RealOf<T>>(0.5) * mine.b[i]);
    expected_x.push_back(mine.x[i] * expected_z.back());
    zz += std::norm(C(expected_z.back()));
  }
  EXPECT_LE(distance(z.get(), expected_z), near);
  EXPECT_LE(distance(x.get(), expected_x), 10 * near);
  zz = world().sum(zz);
  EXPECT_NEAR(std::real(on.value(1)), zz, 1e2 * near * zz);
  EXPECT_NEAR(std::abs(C(on.value(4)) - 3.0 * std::conj(xy)), 0, 1e3 * near * std::abs(xy));
  EXPECT_EQ(on.value(5), spmv_dist::Scalar<T>(0));
  EXPECT_EQ(on.value(6), spmv_dist::Scalar<T>(1));
  EXPECT_EQ(on.line().number, 0) << "too new to be read without waiting";
  EXPECT_EQ(on.line()[0], std::numeric_limits<double>::infinity());
  Combination<T> d(on);
  d.record(0, 0);
  for (int i = 0; i < 4; ++i) on.run(d);
  EXPECT_EQ(on.line().number, 1);
  EXPECT_EQ(on.line()[0], 1);
  EXPECT_NEAR(on.line()[2], std::abs(xy), 1e2 * near * std::abs(xy));
}

class OwnSolverUse : public testing::Test {
 protected:
  const CallersGrid<double> mine_;
  const Context context_{world_comm(), {{"backend", "debug"}}};
  Matrix<double> A_{context_, mine_.view, {{"format", "csr"}, {"transport", "staged"}}};
  Vector<double> x_ = A_.make_x(), y_ = A_.make_y();
};

TEST_F(OwnSolverUse, ViewsAreUsedInTheCallersMemory) {
  std::vector<double> memory(mine_.x);  // copied: no room for the halo, and the device has memory of its own
  auto view = A_.view(Side::x, memory.data(), A_.size(Side::x));
  Workspace<double> on(A_);
  x_.set(mine_.x);
  Combination<double> c(on);
  on.run(c.set(view, view + x_));
  A_.synchronize();
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(memory[i], 2 * mine_.x[i]);
  EXPECT_NEAR(on.norm(view), 2 * on.norm(x_), 1e-12 * on.norm(view));
}

TEST_F(OwnSolverUse, FormsAndNumbersAreWrittenAsOnPaper) {
  Workspace<double> on(A_);
  x_.set(mine_.x);
  Combination<double> c(on);
  c.set(y_, 2 * (x_ - x_ / 4) + x_ * 3).set(x_, -x_);
  c.store(4, -Number(3)).store(5, Number(2) > 1).store(6, Number(1) > 2);
  on.run(c);
  const std::vector<double> x = x_.get(), y = y_.get();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i], -mine_.x[i]);
    EXPECT_DOUBLE_EQ(y[i], 4.5 * mine_.x[i]);
  }
  EXPECT_EQ(on.value(4), -3);
  EXPECT_EQ(on.value(5), 1);
  EXPECT_EQ(on.value(6), 0);
}

TEST_F(OwnSolverUse, TwoWorkspacesHaveSlotsOfTheirOwn) {
  Workspace<double> one(A_), two(A_);
  x_.set(mine_.x);
  Combination<double> c(one);
  c.sum(0, x_, x_).store(31, 8);
  one.run(c);
  const double xx = std::pow(one.norm(x_), 2);
  EXPECT_NEAR(one.value(0), xx, 1e-12 * xx);
  EXPECT_EQ(one.value(31), 8);
  EXPECT_EQ(two.value(0), 0);
  EXPECT_EQ(two.value(31), 0);
  EXPECT_EQ(one.transport().empty(), world().size() == 1);
}

/// Products and combinations follow each other in one order, whichever queue a matrix has: x = A (A x) - x with products by
/// two matrices in turn, which keep their rows in different orders.
TEST_F(OwnSolverUse, OneWorkspaceTakesSeveralMatrices) {
  Matrix<double> B(context_, mine_.view, {{"format", "pjds"}, {"mode", "task"}});
  Workspace<double> on(A_);
  auto xb = B.make_x(), yb = B.make_y();
  x_.set(mine_.x);
  for (int i = 0; i < 5; ++i) {
    xb.set(mine_.x);
    on.multiply_and_sum(B, xb, yb, 2, 3);
    on.run(Combination<double>(on).set(xb, yb - slot(2) / slot(3) * xb));
    on.multiply(B, xb, yb);
    on.multiply_and_sum(A_, x_, y_, 0, 1);
    on.run(Combination<double>(on).set(x_, y_ - slot(0) / slot(1) * x_));
    on.multiply(A_, x_, y_);
    const std::vector<double> a = y_.get(), b = yb.get();
    EXPECT_LE(distance(a, b), 1e-13);
    x_.set(mine_.x);
  }
}

/// Of a loop that has ended by itself nothing changes any more, until the next one begins.
TEST_F(OwnSolverUse, LoopsEndByTheirRequirements) {
  Workspace<double> on(A_);
  x_.set(mine_.x);
  Combination<double> count(on), end(on);
  count.require(slot(4) < 3).record(0, slot(4)).store(5, slot(4) + 1).set(x_, 2 * x_);
  end.store(4, slot(5));
  for (int loop = 1; loop <= 2; ++loop) {
    on.begin_loop();
    for (int i = 0; i < 7; ++i) {
      on.run(count);
      on.run(end);
    }
    on.end_loop();
    EXPECT_EQ(on.value(4), 3);
    const std::vector<double> x = x_.get();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], std::ldexp(mine_.x[i], 3 * loop));
    on.run(Combination<double>(on).store(4, 0));
  }
}

TEST_F(OwnSolverUse, WorkspacesAndVectorsMayOutliveTheirMatrix) {
  std::vector<Workspace<double>> kept;
  {
    Matrix<double> B(context_, mine_.view);
    auto x = B.make_x();
    x.set(mine_.x);
    kept.emplace_back(B);
    kept[0].multiply_and_sum(B, x, y_ = B.make_y(), 0, 1);
  }
  EXPECT_LE(distance(y_.get(), mine_.b), 1e-12);
}

TEST_F(OwnSolverUse, MistakesAreNamed) {
  Workspace<double> on(A_);
  Combination<double> c(on);
  std::vector<Vector<double>> many;
  for (int i = 0; i < 7; ++i) many.push_back(A_.make_x());
  expect_error(Code::usage, "at most 6 vectors", [&] {
    for (const auto& v : many) c.set(x_, v);
  });
  Combination<double> d(on);
  expect_error(Code::usage, "slot for a sum 4 was named, but they are 0 to 3", [&] { d.sum(4, x_, x_); });
  expect_error(Code::usage, "slot for a stored number 3 was named", [&] { d.store(3, 1); });
  expect_error(Code::usage, "slot 32 was named", [&] { d.store(5, slot(32)); });
  expect_error(Code::usage, "column 4 was named", [&] { d.record(4, 1); });
  expect_error(Code::usage, "both stores and reads slot 9", [&] { d.store(9, 1).record(0, slot(9)); });
  expect_error(Code::usage, "cannot both be in slot 2", [&] { on.multiply_and_sum(A_, x_, y_, 2, 2); });
  expect_error(Code::usage, "same memory", [&] { on.multiply_and_sum(A_, x_, x_, 0, 1); });
  Matrix<double> other(context_, mine_.view);
  auto strange = other.make_x();
  expect_error(Code::usage, "two matrices", [&] { d.set(strange, x_); });
  expect_error(Code::usage, "two matrices", [&] { on.dot(x_, strange); });
  expect_error(Code::usage, "another matrix", [&] { on.multiply_and_sum(A_, strange, y_, 0, 1); });
  const auto size = A_.size(Side::x);
  std::vector<double> memory(static_cast<std::size_t>(size) + 1);
  const Context host(world_comm(), {{"backend", "host"}});
  Matrix<double> there(host, mine_.view);
  Workspace<double> on_host(there);
  expect_error(Code::usage, "another context", [&] { on_host.run(Combination<double>(on)); });
  auto first = A_.view(Side::x, memory.data(), size), second = A_.view(Side::x, memory.data() + 1, size);
  if (size > 1) expect_error(Code::usage, "overlap", [&] { Combination<double>(on).set(first, second); });
}

}  // namespace
}  // namespace spmv::test
