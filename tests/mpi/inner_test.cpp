// Iterations in single precision for a solution in double: as many as in double, and the same solution.
#include "dist/solve/inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/begin.hpp"
#include "dist/solve/methods.hpp"
#include "support/small_system.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

/// The matrix of a system that is solved in double, in single precision.
template <class T>
class Inner {
 public:
  using S = SingleOf<T>;
  Inner(Solved<T>& solved, const Mode<T>& mode, const std::string& transport, const std::string& format)
      : solved_(solved), rows_(rows_in_single(solved.request().rows, solved.A().matrix().magnitudes())) {
    DistOptions options;
    options.layout = mode.layouts.front();
    options.format = options.nonlocal_format = format;
    options.transport = transport;
    options.needs_queued_exchange = mode.needs_queued_exchange;
    const DistMatrix<T>& finest = solved.A().matrix();
    matrix_ = std::make_unique<DistMatrix<S>>(world(), rows_, options, finest.backend(),
                                              SharedWith{finest.shared_queue(), {}, {}});
    A_ = std::make_unique<Operator<S>>(*matrix_, pick(modes<S>(), mode.name, "mode"));
    on_ = std::make_unique<Workspace<S>>(world(), finest.backend(), matrix_->compute_queue(), transport,
                                         TransportRequest{});
  }
  SolveResult solve(const std::string& solver, const std::string& m, const SolveOptions& options,
                    const std::vector<T>& guess = {}) {
    return solve(pick(solvers<S>(), solver, "solver"), m, options, guess);
  }
  SolveResult solve(const SolverRow<S>& solver, const std::string& m, const SolveOptions& options,
                    const std::vector<T>& guess = {}) {
    const auto M = pick(preconditioners<S>(), m, "preconditioner").make({*on_, *A_, rows_});
    InnerSolver<T> inner(solver, *on_, *A_, *M, solved_.A());
    if (!guess.empty()) return solved_.solve_from(guess, solver.name, options, &inner);
    return solved_.solve(solver.name, *Solved<T>::make("none", solved_.request()), options, &inner);
  }

 private:
  Solved<T>& solved_;
  DistributedRows<S> rows_;
  std::unique_ptr<DistMatrix<S>> matrix_;
  std::unique_ptr<Operator<S>> A_;
  std::unique_ptr<Workspace<S>> on_;
};

template <class T>
class InnerSolvers : public BackendsTest {};
using ValueTypes = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(InnerSolvers, ValueTypes);

const TestBackend& first_backend() {
  return product_backends().front();
}

/// About as many iterations as in double, where restarts take 1.4 times as many, and true residuals that are as small.
template <class T>
void check_like_double(Solved<T>& solved, Inner<T>& inner, const std::string& m, double more) {
  const SolveOptions options{.tolerance = 1e-11};
  const SolveResult expected = solved.solve("cg", m, options);
  const SolveResult result = inner.solve("cg", m, options);
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(solved.true_residual(), 1.1e-11);
  EXPECT_LE(result.iterations, more * expected.iterations + 1);
  EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  EXPECT_EQ(result.history.back(), result.residual);
  EXPECT_GE(result.updates, 5);
  EXPECT_LE(result.updates, 7);
}

/// The rows of the two matrices are in orders of their own.
TYPED_TEST(InnerSolvers, NeedAsManyIterationsAsInDouble) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("weak and scaled", 60, 50, 0.5, true);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  const char* const formats[] = {"pjds", "sell", "pjds", "csr"};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string m = preconditioners<T>()[i].name;
    SCOPED_TRACE(m);
    Solved<T> solved(system, first_backend(), mode, "staged", formats[i]);
    Inner<T> inner(solved, mode, "staged", formats[(i + 1) % 4]);
    check_like_double(solved, inner, m,
                      is_complex<T> ? 1.15 : 1.02);  // of which single precision rounds all elements
  }
}

/// Value types share the work, and take every sixth way each.
TYPED_TEST(InnerSolvers, WorkInEveryMode) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 11, 9, 1, false);
  std::size_t turn = is_complex<T> ? 3 : 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world())))
      for (const Mode<T>& mode : modes<T>()) {
        if (mode.needs_queued_exchange && world().size() > 1 && !only_queues_work(transport->name)) continue;
        if (turn++ % 6 >= 1) continue;
        SCOPED_TRACE(std::string(backend.name) + " " + mode.name + " " + transport->name);
        Solved<T> solved(system, backend, mode, transport->name, "pjds");
        Inner<T> inner(solved, mode, transport->name, "sell");
        check_like_double(solved, inner, "none", 1.2);
      }
}

/// Some start anew at every update, and need more iterations.
TYPED_TEST(InnerSolvers, AreAnySolver) {
  using T = TypeParam;
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  for (const SmallSystem<T>& system :
       {grid<T>("grid", 12, 11, 1, false), grid<T>("one row", 1, 1, 1, false),
        grid<T>("line", 48, 1, 0, false, 0.1), grid<T>("two rows", 2, 1, 1, false)}) {
    Solved<T> solved(system, first_backend(), mode, "staged");
    Inner<T> inner(solved, mode, "staged", "pjds");
    for (const SolverRow<T>& solver : solvers<T>()) {
      const SolveResult result = inner.solve(solver.name, "none", {.tolerance = 1e-12});
      EXPECT_EQ(result.stop, Stop::converged) << system.name << " " << solver.name << ": " << result.reason;
      EXPECT_LE(solved.true_residual(), 1.1e-12) << system.name << " " << solver.name;
    }
  }
}

/// The same bits on all ranks, and however far the host is ahead.
TYPED_TEST(InnerSolvers, RepeatThemselves) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 13, 7, 0.3, true);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  std::vector<T> first;
  std::vector<double> history;
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
    Solved<T> solved(system, backend, mode, "staged");
    Inner<T> inner(solved, mode, "staged", "sell");
    const SolveResult result = inner.solve("cg", "jacobi", {.tolerance = 1e-11});
    EXPECT_EQ(result.stop, Stop::converged) << result.reason;
    if (first.empty()) first = solved.x();
    if (history.empty()) history = result.history;
    EXPECT_EQ(first, solved.x());
    EXPECT_EQ(history, result.history);
    for (const double last : world().all_gather(result.history.back()))
      EXPECT_EQ(last, result.history.back());
  }
}

/// Powers of two change nothing, far beyond the range of single precision.
TYPED_TEST(InnerSolvers, DoTheSameAtEveryScale) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 13, 7, 0.3, true);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  std::vector<T> x;
  std::vector<double> history;
  for (const auto& [of_a, of_b] : {std::pair{0, 0},
                                   {500, 500},
                                   {-500, -500},
                                   {-990, -500},
                                   {990, 500},
                                   {0, -545},
                                   {0, 560},
                                   {60, -60}}) {
    SCOPED_TRACE("A 2^" + std::to_string(of_a) + " b 2^" + std::to_string(of_b));
    SmallSystem<T> scaled = system;
    for (Entry<T>& e : scaled.entries) e.value = times_power_of_two(e.value, of_a);
    Solved<T> solved(scaled, first_backend(), mode, "staged");
    std::vector<T> b = system.right_hand_side();
    for (T& value : b) value = times_power_of_two(value, of_b);
    solved.set_b(b);
    Inner<T> inner(solved, mode, "staged", "sell");
    const SolveResult result = inner.solve("cg", "none", {.tolerance = 1e-11});
    ASSERT_EQ(result.stop, Stop::converged) << result.reason;
    std::vector<T> unscaled = solved.x();
    for (T& value : unscaled) value = times_power_of_two(value, of_a - of_b);
    if (x.empty()) {
      x = unscaled;
      history = result.history;
    }
    EXPECT_LE(result.residual, 1.05e-11);
    EXPECT_NEAR(static_cast<double>(history.size()), static_cast<double>(result.history.size()), 1);
    // On GPUs, a product that is scaled by a kernel behind it is rounded in another order.
    if (std::string(first_backend().name) != "host") continue;
    EXPECT_EQ(history, result.history);
    EXPECT_EQ(x, unscaled);
  }
}

TYPED_TEST(InnerSolvers, StartFromAGuess) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 12, 11, 1, false);
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  Solved<T> solved(system, first_backend(), mode, "staged");
  Inner<T> inner(solved, mode, "staged", "pjds");
  std::vector<T> far;
  for (gidx i = 0; i < system.rows; ++i) far.push_back(x_value<T>(i, 3) * RealOf<T>(1e9));
  const SolveResult result = inner.solve("cg", "none", {.tolerance = 1e-8}, far);
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(solved.true_residual(), 1.1e-8);
  const SolveResult again = inner.solve("cg", "none", {.tolerance = 1e-8}, solved.x());
  EXPECT_EQ(again.stop, Stop::converged);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.history.size(), 1U);
}

TYPED_TEST(InnerSolvers, LeaveOutConstantVectorsIfAsked) {
  using T = TypeParam;
  constexpr gidx rows = 24;
  SmallSystem<T> ring{"ring", rows, {}};
  for (gidx i = 0; i < rows; ++i) {
    const auto third = T(RealOf<T>(1) / 3);  // rows of the matrix in single precision do not add up to 0
    ring.entries.push_back({i, i, third + T(1)});
    ring.entries.push_back({i, (i + 1) % rows, i % 2 == 0 ? T(-1) : -third});
    ring.entries.push_back({i, (i + rows - 1) % rows, i % 2 == 1 ? T(-1) : -third});
  }
  const Mode<T>& mode = pick(modes<T>(), "vector", "mode");
  Solved<T> solved(ring, first_backend(), mode, "staged");
  Inner<T> inner(solved, mode, "staged", "sell");
  const SolveResult result = inner.solve("cg", "none", {.tolerance = 1e-12, .project_constant = true});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  std::complex<double> sum = 0;
  for (const T& value : solved.x()) sum += std::complex<double>(value);
  EXPECT_LE(std::abs(sum), 1e-10);
}

class InnerStops : public BackendsTest {
 protected:
  SolveResult solve(const SmallSystem<double>& system, const SolveOptions& options) {
    return solve(system, system.right_hand_side(), options);
  }
  SolveResult solve(const SmallSystem<double>& system, const std::vector<double>& b,
                    const SolveOptions& options) {
    const Mode<double>& mode = pick(modes<double>(), "vector", "mode");
    Solved<double> solved(system, *backend_, mode, "staged");
    solved.set_b(b);
    Inner<double> inner(solved, mode, "staged", "sell");
    const SolveResult result = inner.solve("cg", "none", options);
    x_ = solved.x();
    return result;
  }
  std::vector<double> x_;
  const TestBackend* backend_ = &product_backends().front();
};

TEST_F(InnerStops, SayWhyTheyStop) {
  backend_ = &product_backends().back();  // one on which the host is ahead
  const SmallSystem<double> good = grid<double>("grid", 12, 11, 1, false);
  const std::vector<double> history = solve(good, {}).history;
  for (const int most : {1, 5, 20}) {
    const SolveResult few = solve(good, {.max_iterations = most});
    EXPECT_EQ(few.stop, Stop::iterations);
    EXPECT_EQ(few.iterations, most);
    EXPECT_NEAR(few.residual / history.at(static_cast<std::size_t>(most)), 1, 1e-3);
  }
  const auto watch = [](int iterations, double) { return iterations >= 16; };
  EXPECT_EQ(solve(good, {.watch = watch}).stop, Stop::asked);
  const SolveResult nothing = solve(good, std::vector<double>(132, 0.0), {});
  EXPECT_EQ(nothing.stop, Stop::converged);
  EXPECT_EQ(nothing.iterations, 0);
  EXPECT_EQ(solve(grid<double>("indefinite", 12, 11, 1, false, -1), {}).stop, Stop::broke_down);
}

/// Where residuals in double end, not those in single precision.
TEST_F(InnerStops, EndWhereDoubleEnds) {
  const SmallSystem<double> good = grid<double>("grid", 12, 11, 1, false);
  for (const double tolerance : {1e-18, 0.0}) {
    const SolveResult result = solve(good, {.tolerance = tolerance});
    EXPECT_EQ(result.stop, Stop::stagnated);
    EXPECT_LE(result.residual, 1e-15);
    EXPECT_LT(result.iterations, 300);
  }
}

TEST_F(InnerStops, FindValuesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
    const std::vector<double> b = system.right_hand_side();
    for (auto& e : system.entries)
      if (e.row == 17 && e.col == 17) e.value = bad;
    EXPECT_EQ(solve(system, b, {}).stop, Stop::not_finite);
    EXPECT_EQ(x_, std::vector<double>(30, 0.0));
  }
}

/// The residual rises by orders of magnitude before it falls, beyond what single precision has digits for.
TEST_F(InnerStops, HavePatience) {
  SmallSystem<double> system{"diagonal", 150, {}};
  for (gidx i = 0; i < 150; ++i)
    system.entries.push_back({i, i, std::pow(10.0, -5.0 * static_cast<double>(i) / 149)});
  const SolveResult result = solve(system, std::vector<double>(150, 1.0), {.tolerance = 1e-9});
  EXPECT_EQ(result.stop, Stop::converged) << result.reason;
  EXPECT_LE(result.residual, 1.05e-9);
}

/// Conjugate gradients whose directions look like those of an indefinite matrix when they are kept; if `always`, from the second
/// start on as well.
template <bool always>
class Misled final : public Solver<float> {
 public:
  explicit Misled(const System<float>& system) : a_(system), cg_(make_cg(system)) {}
  static std::unique_ptr<Solver<float>> make(const System<float>& system) {
    return std::make_unique<Misled>(system);
  }
  void start() override {
    cg_->start();
    misled_ = always && starts_++ > 0;
  }
  void resume(double /*factor*/) override { misled_ = true; }
  std::uint64_t iterate() override {
    if (!misled_) return cg_->iterate();
    Combination<float> line;
    return a_.on.run(begin_iteration(line, a_.goal, 4, -1).record(2, 1));
  }

 private:
  const System<float>& a_;
  std::unique_ptr<Solver<float>> cg_;
  int starts_ = 0;
  bool misled_ = false;
};

TEST_F(InnerStops, KeptDirectionsThatBreakDownAreLeftOnce) {
  const SmallSystem<double> system = grid<double>("grid", 12, 11, 1, false);
  const Mode<double>& mode = pick(modes<double>(), "vector", "mode");
  Solved<double> solved(system, *backend_, mode, "staged");
  Inner<double> inner(solved, mode, "staged", "sell");
  SolverRow<float> row = pick(solvers<float>(), "cg", "solver");
  row.make = Misled<false>::make;
  const SolveResult left = inner.solve(row, "none", {.tolerance = 1e-10});
  EXPECT_EQ(left.stop, Stop::converged) << left.reason;
  EXPECT_LE(solved.true_residual(), 1.1e-10);
  EXPECT_GE(left.restarts, 2);
  row.make = Misled<true>::make;
  const SolveResult again = inner.solve(row, "none", {.tolerance = 1e-10});
  EXPECT_EQ(again.stop, Stop::broke_down);
  EXPECT_EQ(again.restarts, 1);
  EXPECT_LE(again.residual, 0.011);
}

}  // namespace
}  // namespace spmv::test
