// Solvers on ranks, against the same recurrence in long double on one.
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/solve/solver.hpp"
#include "support/make_matrix.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

template <class T>
long double real_of(const Wide<T>& a) {
  return std::real(a);
}

/// A small system: the whole matrix on every rank.
template <class T>
struct SmallSystem {
  std::string name;
  gidx rows = 0;
  std::vector<Entry<T>> entries;

  std::vector<Wide<T>> product(const std::vector<Wide<T>>& x) const {
    std::vector<Wide<T>> y(static_cast<std::size_t>(rows), Wide<T>(0));
    for (const Entry<T>& e : entries)
      y[static_cast<std::size_t>(e.row)] += Wide<T>(e.value) * x[static_cast<std::size_t>(e.col)];
    return y;
  }
  std::vector<T> right_hand_side() const {
    std::vector<Wide<T>> x;
    for (gidx i = 0; i < rows; ++i) x.push_back(Wide<T>(x_value<T>(i, 0)));
    std::vector<T> b;
    for (const Wide<T>& value : product(x)) b.push_back(T(value));
    return b;
  }
};

/// i above the diagonal, -i below, in complex matrices: hermitian, and not symmetric.
template <class T>
T off_diagonal(double size, bool upper) {
  if constexpr (is_complex<T>)
    return T(static_cast<RealOf<T>>(-size * 0.8), static_cast<RealOf<T>>(upper ? size * 0.6 : -size * 0.6));
  else
    return T(-size);
}

/// A five-point stencil on a grid, weaker in one direction; row and column i times 1 + i % 3 if `scaled`.
template <class T>
SmallSystem<T> grid(const std::string& name, gidx nx, gidx ny, double weak, bool scaled, double shift = 0) {
  SmallSystem<T> system{name, nx * ny, {}};
  const auto scale = [&](gidx i) { return scaled ? static_cast<double>(1 + i % 3) : 1.0; };
  const auto add = [&](gidx i, gidx j, double size) {
    const double s = size * scale(i) * scale(j);
    system.entries.push_back({i, j, i == j ? T(static_cast<RealOf<T>>(s)) : off_diagonal<T>(s, i < j)});
  };
  for (gidx i = 0; i < nx * ny; ++i) {
    add(i, i, 2 + 2 * weak + shift);
    if (i % nx > 0) add(i, i - 1, 1);
    if (i % nx < nx - 1) add(i, i + 1, 1);
    if (i >= nx) add(i, i - nx, weak);
    if (i < nx * (ny - 1)) add(i, i + nx, weak);
  }
  return system;
}

/// Relative residual norms of classical conjugate gradients with the diagonal as preconditioner, or without.
template <class T>
std::vector<double> wide_history(const SmallSystem<T>& system, bool jacobi, std::size_t most) {
  const auto n = static_cast<std::size_t>(system.rows);
  std::vector<Wide<T>> inverse(n, Wide<T>(1)), r, x(n, Wide<T>(0)), p, z(n);
  if (jacobi)
    for (const Entry<T>& e : system.entries)
      if (e.row == e.col) inverse[static_cast<std::size_t>(e.row)] = Wide<T>(1) / Wide<T>(e.value);
  for (const T& b : system.right_hand_side()) r.push_back(Wide<T>(b));
  const auto dot = [&](const auto& a, const auto& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (is_complex<T>)
        sum += std::real(std::conj(a[i]) * b[i]);
      else
        sum += a[i] * b[i];
    }
    return sum;
  };
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) z[i] = inverse[i] * r[i];
  };
  precondition();
  p = z;
  long double rz = dot(r, z);
  const long double norm_b = std::sqrt(dot(r, r));
  std::vector<double> history{1};
  while (history.size() < most && history.back() > 1e-14) {
    const auto s = system.product(p);
    const long double alpha = rz / dot(p, s);
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * s[i];
    precondition();
    const long double next = dot(r, z);
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + (next / rz) * p[i];
    rz = next;
    history.push_back(static_cast<double>(std::sqrt(dot(r, r)) / norm_b));
  }
  return history;
}

template <class T>
class Solved {
 public:
  Solved(const SmallSystem<T>& system, const TestBackend& backend, const Mode<T>& mode,
         const std::string& transport)
      : system_(system), backend_(backend.make(world())) {
    const Communicator& all = world();
    const Ownership read = Ownership::even({system.rows, system.rows}, all.size());
    std::vector<Entry<T>> mine;
    for (std::size_t k = static_cast<std::size_t>(all.rank()); k < system.entries.size();
         k += static_cast<std::size_t>(all.size()))
      mine.push_back(system.entries[k]);
    RowBlock<T> block = assemble(all, read.rows, std::move(mine));
    const Moves moves = moves_to(all, read, assign_rows(all, built_partitioners().front(), read, block, {}));
    rows_ = std::make_unique<DistributedRows<T>>(redistribute(all, read, std::move(block), moves));
    DistOptions options;
    options.layout = mode.layouts.front();
    options.format = options.nonlocal_format = "sell";
    options.transport = transport;
    options.needs_queued_exchange = mode.needs_queued_exchange;
    matrix_ = std::make_unique<DistMatrix<T>>(all, *rows_, options, backend_);
    on_ = std::make_unique<Workspace<T>>(all, *matrix_, mode, transport, TransportRequest{});
    x_ = on_->make_vector();
    b_ = on_->make_vector();
    set(b_, system.right_hand_side());
  }
  Workspace<T>& on() { return *on_; }
  void set(Buffer<T>& to, const std::vector<T>& whole) {
    std::vector<T> mine;
    for (const gidx row : rows_->original_row) mine.push_back(whole[static_cast<std::size_t>(row)]);
    mine = matrix_->to_basis(mine);
    if (!mine.empty()) backend_->upload(to.data(), mine.data(), mine.size() * sizeof(T));
  }
  void set_b(const std::vector<T>& whole) { set(b_, whole); }
  /// From x = 0. Halos hold NaN before.
  SolveResult solve(const std::string& solver, const std::string& preconditioner,
                    const SolveOptions& options) {
    matrix_->compute_queue().fill(x_.data(), 0xff, x_.bytes());
    matrix_->compute_queue().fill(x_.data(), 0, static_cast<std::size_t>(matrix_->rows()) * sizeof(T));
    matrix_->compute_queue().synchronize();
    const auto m = pick(preconditioners<T>(), preconditioner, "preconditioner").make({*on_, *rows_});
    return spmv::solve(pick(solvers<T>(), solver, "solver"), *on_, *m, x_.data(), b_.data(), options);
  }
  /// The whole x on every rank.
  std::vector<T> x() const {
    std::vector<T> mine(static_cast<std::size_t>(matrix_->rows()));
    download(*backend_, mine.data(), x_.data(), mine.size());
    mine = matrix_->from_basis(mine);
    std::vector<T> whole(static_cast<std::size_t>(system_.rows));
    const auto to_all = [&](const auto& values) {
      using V = typename std::decay_t<decltype(values)>::value_type;
      std::vector<V> copies;
      for (int r = 0; r < world().size(); ++r) copies.insert(copies.end(), values.begin(), values.end());
      return world()
          .all_to_all(copies, std::vector<offset>(static_cast<std::size_t>(world().size()),
                                                  static_cast<offset>(values.size())))
          .data;
    };
    const auto ids = to_all(rows_->original_row);
    const auto values = to_all(mine);
    for (std::size_t i = 0; i < ids.size(); ++i) whole[static_cast<std::size_t>(ids[i])] = values[i];
    return whole;
  }
  double true_residual() const {
    std::vector<Wide<T>> wide_x;
    for (const T& value : x()) wide_x.push_back(Wide<T>(value));
    const auto product = system_.product(wide_x);
    const auto b = system_.right_hand_side();
    long double off = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      off += std::norm(Wide<T>(b[i]) - product[i]);
      size += std::norm(Wide<T>(b[i]));
    }
    return static_cast<double>(std::sqrt(off / size));
  }

 private:
  const SmallSystem<T>& system_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<DistributedRows<T>> rows_;
  std::unique_ptr<DistMatrix<T>> matrix_;
  std::unique_ptr<Workspace<T>> on_;
  Buffer<T> x_, b_;
};

template <class T>
class Solvers : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Solvers, ValueTypes);

template <class T>
double reachable() {
  return sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-11;
}

template <class T>
void check_history(const SmallSystem<T>& system, bool jacobi, const SolveResult& result) {
  const auto wide = wide_history(system, jacobi, result.history.size() + 1);
  const double precise = sizeof(RealOf<T>) == sizeof(float) ? 1e-2 : 1e-5;
  for (std::size_t i = 0; i < std::min(wide.size(), result.history.size()); ++i) {
    if (wide[i] < 1e3 * reachable<T>()) continue;
    ASSERT_NEAR(result.history[i], wide[i], precise * wide[i]) << "iteration " << i;
  }
}

template <class T>
void check_solution(Solved<T>& solved, const SmallSystem<T>& system, const SolverRow<T>& solver,
                    const PreconditionerRow<T>& m) {
  const SolveResult result = solved.solve(solver.name, m.name, {.tolerance = reachable<T>()});
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  ASSERT_LE(solved.true_residual(), 1.3 * reachable<T>());
  ASSERT_EQ(static_cast<int>(result.history.size()), result.iterations + 1);
  const bool of_diagonal = std::string(m.name) == "jacobi";
  if (std::string(solver.name).substr(0, 2) == "cg" && result.restarts == 0 &&
      (of_diagonal || std::string(m.name) == "none"))
    check_history(system, of_diagonal, result);
}

/// Every solver, preconditioner, mode and transport on systems in turn, of which some leave ranks without rows.
TYPED_TEST(Solvers, FindTheSolution) {
  using T = TypeParam;
  const std::vector<SmallSystem<T>> systems = {
      grid<T>("grid", 13, 11, 1, false), grid<T>("one row", 1, 1, 1, false),
      grid<T>("weak and scaled", 17, 9, 0.05, true), grid<T>("line", 40, 1, 0, false, 0.1),
      grid<T>("two rows", 2, 1, 1, false)};
  std::size_t turn = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world())))
      for (const Mode<T>& mode : modes<T>()) {
        if (mode.needs_queued_exchange && world().size() > 1 && !only_queues_work(transport->name)) continue;
        const SmallSystem<T>& system = systems[turn++ % systems.size()];
        Solved<T> solved(system, backend, mode, transport->name);
        for (const SolverRow<T>& solver : solvers<T>())
          for (const PreconditionerRow<T>& m : preconditioners<T>()) {
            SCOPED_TRACE(std::string(backend.name) + " " + mode.name + " " + transport->name + " " +
                         system.name + " " + solver.name + " " + m.name);
            check_solution(solved, system, solver, m);
          }
      }
}

/// The same bits on all ranks and in every run.
TYPED_TEST(Solvers, RepeatThemselves) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 19, 16, 0.3, true);
  for (const TestBackend& backend : product_backends()) {
    Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
    for (const SolverRow<T>& solver : solvers<T>()) {
      const SolveResult first = solved.solve(solver.name, "none", {.tolerance = reachable<T>()});
      const std::vector<T> x = solved.x();
      const SolveResult second = solved.solve(solver.name, "none", {.tolerance = reachable<T>()});
      EXPECT_EQ(first.history, second.history);
      EXPECT_EQ(x, solved.x());
      for (const double last : world().all_gather(first.history.back()))
        EXPECT_EQ(last, first.history.back());
    }
  }
}

TEST_F(BackendsTest, SolversSayWhyTheyStop) {
  for (const TestBackend& backend : product_backends()) {
    SCOPED_TRACE(backend.name);
    const Mode<double>& mode = pick(modes<double>(), "vector", "mode");
    const SmallSystem<double> good = grid<double>("grid", 30, 20, 1, false);
    Solved<double> solved(good, backend, mode, "staged");
    EXPECT_EQ(solved.solve("cg", "none", {.most_iterations = 5}).stop, Stop::iterations);
    EXPECT_EQ(solved.solve("cg", "none", {.most_iterations = 5}).iterations, 5);
    EXPECT_EQ(solved.solve("cg", "none", {.tolerance = 1e-18}).stop, Stop::stagnated);
    int asked = 0;
    const auto watch = [&](int iterations, double) {
      return world().rank() == 0 && iterations >= 16 && ++asked > 0;
    };
    EXPECT_EQ(solved.solve("cg", "none", {.tolerance = 1e-12, .watch = watch}).stop, Stop::asked);
    solved.set_b(std::vector<double>(600, 0.0));
    const SolveResult nothing = solved.solve("cg", "none", {});
    EXPECT_EQ(nothing.stop, Stop::converged);
    EXPECT_EQ(nothing.iterations, 0);
    EXPECT_EQ(solved.x(), std::vector<double>(600, 0.0));
    std::vector<double> bad(600, 1.0);
    bad[599] = std::numeric_limits<double>::quiet_NaN();
    solved.set_b(bad);
    EXPECT_THROW(solved.solve("cg", "none", {}), AgreedError);

    const SmallSystem<double> indefinite = grid<double>("indefinite", 30, 20, 1, false, -3);
    Solved<double> of_indefinite(indefinite, backend, mode, "staged");
    EXPECT_EQ(of_indefinite.solve("cg", "none", {}).stop, Stop::broke_down);
  }
}

TEST_F(BackendsTest, JacobiNamesTheRow) {
  for (const TestBackend& backend : product_backends()) {
    SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
    for (auto& e : system.entries)
      if (e.row == 17 && e.col == 17) e.value = -1;
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged");
    try {
      solved.solve("cg", "jacobi", {});
      ADD_FAILURE() << "accepted";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_NE(std::string(error.what()).find("row 18"), std::string::npos) << error.what();
    }
  }
}

TEST(RankSums, PlanReachesEveryOtherRank) {
  const HaloPlan plan = sums_plan(1, 4, 3);
  ASSERT_EQ(plan.neighbours.size(), 3U);
  EXPECT_EQ(plan.neighbours[1].rank, 2);
  EXPECT_EQ(plan.neighbours[1].send_offset, 3);
  EXPECT_EQ(plan.neighbours[2].receive_offset, 6);
  EXPECT_EQ(plan.ghosts, 9);
  EXPECT_EQ(plan.send_index, (std::vector<lidx>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace spmv::test
