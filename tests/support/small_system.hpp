// Small systems for solvers: the whole matrix on every rank, a reference in long double, and the system on the ranks.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/pick.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/solve/solver.hpp"
#include "support/make_matrix.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"

namespace spmv::test {

/// The number of a value type, from 0.
template <class T>
constexpr std::size_t number_of = (is_complex<T> ? 2U : 0U) + (sizeof(RealOf<T>) == sizeof(double) ? 1U : 0U);

template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

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

/// A grid without boundary conditions: its matrix maps constant vectors to 0.
template <class T>
SmallSystem<T> free_grid(gidx nx, gidx ny) {
  SmallSystem<T> system{"free grid", nx * ny, {}};
  const auto join = [&](gidx i, gidx j) {
    for (const auto& [row, col, value] : {std::tuple{i, i, 1}, {j, j, 1}, {i, j, -1}, {j, i, -1}})
      system.entries.push_back({row, col, T(static_cast<RealOf<T>>(value))});
  };
  for (gidx i = 0; i < nx * ny; ++i) {
    if (i % nx > 0) join(i - 1, i);
    if (i >= nx) join(i - nx, i);
  }
  return system;
}

/// conj(a) b of all elements.
template <class T>
Wide<T> wide_dot(const std::vector<Wide<T>>& a, const std::vector<Wide<T>>& b) {
  Wide<T> sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if constexpr (is_complex<T>)
      sum += std::conj(a[i]) * b[i];
    else
      sum += a[i] * b[i];
  }
  return sum;
}

/// |a| / |b|
template <class T>
double wide_ratio(const std::vector<Wide<T>>& a, const std::vector<Wide<T>>& b) {
  return static_cast<double>(std::sqrt(std::real(wide_dot<T>(a, a)) / std::real(wide_dot<T>(b, b))));
}

/// Relative residual norms of classical conjugate gradients with the diagonal as preconditioner, or without.
template <class T>
std::vector<double> wide_history(const SmallSystem<T>& system, bool jacobi, std::size_t most) {
  const auto n = static_cast<std::size_t>(system.rows);
  std::vector<Wide<T>> inverse(n, Wide<T>(1)), b, z(n);
  if (jacobi)
    for (const Entry<T>& e : system.entries)
      if (e.row == e.col) inverse[static_cast<std::size_t>(e.row)] = Wide<T>(1) / Wide<T>(e.value);
  for (const T& value : system.right_hand_side()) b.push_back(Wide<T>(value));
  auto r = b;
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) z[i] = inverse[i] * r[i];
  };
  precondition();
  auto p = z;
  long double rz = std::real(wide_dot<T>(r, z));
  std::vector<double> history{1};
  while (history.size() < most && history.back() > 1e-14) {
    const auto s = system.product(p);
    const long double alpha = rz / std::real(wide_dot<T>(p, s));
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * s[i];
    precondition();
    const long double next = std::real(wide_dot<T>(r, z));
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + (next / rz) * p[i];
    rz = next;
    history.push_back(wide_ratio<T>(r, b));
  }
  return history;
}

/// The same of BiCGSTAB without a preconditioner.
template <class T>
std::vector<double> wide_bicgstab_history(const SmallSystem<T>& system, std::size_t most) {
  std::vector<Wide<T>> b;
  for (const T& value : system.right_hand_side()) b.push_back(Wide<T>(value));
  auto r = b, p = b;
  Wide<T> rho = wide_dot<T>(b, r);
  std::vector<double> history{1};
  while (history.size() < most) {
    const auto v = system.product(p);
    const Wide<T> alpha = rho / wide_dot<T>(b, v);
    auto s = r;
    for (std::size_t i = 0; i < s.size(); ++i) s[i] -= alpha * v[i];
    const auto t = system.product(s);
    const Wide<T> omega = wide_dot<T>(t, s) / wide_dot<T>(t, t);
    for (std::size_t i = 0; i < s.size(); ++i) r[i] = s[i] - omega * t[i];
    const Wide<T> next = wide_dot<T>(b, r), beta = next / rho * (alpha / omega);
    for (std::size_t i = 0; i < s.size(); ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    rho = next;
    history.push_back(wide_ratio<T>(r, b));
  }
  return history;
}

/// A system on the ranks, with multivectors x and b, stored by rows; in the first layout of the mode unless one is named.
template <class T>
class Solved {
 public:
  Solved(const SmallSystem<T>& system, const TestBackend& backend, const Mode<T>& mode,
         const std::string& transport, const std::string& format = "sell", int columns = 1,
         const std::string& layout = {})
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
    options.layout = layout.empty() ? mode.layouts.front() : layout;
    options.format = options.nonlocal_format = format;
    options.transport = transport;
    options.tune.columns = columns;
    options.needs_queued_exchange = mode.needs_queued_exchange;
    matrix_ = std::make_unique<DistMatrix<T>>(all, *rows_, options, backend_);
    A_ = std::make_unique<Operator<T>>(*matrix_, mode);
    on_ = std::make_unique<Workspace<T>>(all, backend_, matrix_->compute_queue(), transport,
                                         TransportRequest{}, columns);
    x_ = A_->make_vector();
    b_ = A_->make_vector();
    set(b_, system.right_hand_side());
  }
  Workspace<T>& on() { return *on_; }
  const Operator<T>& A() const { return *A_; }
  /// The elements of all rows, in all columns; or of one vector, for every column.
  void set(const VectorRef<T>& to, const std::vector<T>& whole) {
    const bool same = whole.size() == static_cast<std::size_t>(system_.rows);
    std::vector<T> mine;
    for (const gidx row : rows_->original_row)
      for (int j = 0; j < A_->columns(); ++j)
        mine.push_back(whole[static_cast<std::size_t>(same ? row : row * A_->columns() + j)]);
    mine = matrix_->to_basis(mine);
    upload(*backend_, to, mine);
  }
  void set_b(const std::vector<T>& whole) { set(b_, whole); }
  const VectorRef<T>& b() const { return b_; }
  std::vector<T> whole_b() const { return whole(b_); }
  /// From x = 0. The halo of x holds NaN before.
  SolveResult solve(const std::string& solver, Preconditioner<T>& m, const SolveOptions& options,
                    InnerSolver<T>* inner = nullptr) {
    matrix_->compute_queue().fill(x_.data(), 0xff, x_.bytes());
    matrix_->compute_queue().fill(x_.data(), 0, static_cast<std::size_t>(A_->elements()) * sizeof(T));
    matrix_->compute_queue().synchronize();
    return spmv::solve(pick(solvers<T>(), solver, "solver"), *on_, *A_, m, x_, b_, options, inner);
  }
  /// All columns, from x = 0.
  std::vector<SolveResult> solve_columns(const std::string& solver, const std::string& preconditioner,
                                         const SolveOptions& options) {
    matrix_->compute_queue().fill(x_.data(), 0xff, x_.bytes());
    matrix_->compute_queue().fill(x_.data(), 0, static_cast<std::size_t>(A_->elements()) * sizeof(T));
    matrix_->compute_queue().synchronize();
    const auto m = make(preconditioner, request());
    return ReadySolver<T>(pick(solvers<T>(), solver, "solver"), *on_, *A_, *m).solve_columns(x_, b_, options);
  }
  SolveResult solve(const std::string& solver, const std::string& preconditioner,
                    const SolveOptions& options) {
    return solve(solver, *make(preconditioner, request()), options);
  }
  /// From a guess, without a preconditioner.
  SolveResult solve_from(const std::vector<T>& guess, const std::string& solver, const SolveOptions& options,
                         InnerSolver<T>* inner = nullptr) {
    set(x_, guess);
    return spmv::solve(pick(solvers<T>(), solver, "solver"), *on_, *A_, *make("none", request()), x_, b_,
                       options, inner);
  }
  /// x = M^-1 b
  void apply(Preconditioner<T>& m) {
    m.apply(b_, x_);
    matrix_->compute_queue().synchronize();
  }
  PreconditionerRequest<T> request() { return {*on_, *A_, *rows_}; }
  static std::unique_ptr<Preconditioner<T>> make(const std::string& preconditioner,
                                                 const PreconditionerRequest<T>& request) {
    return pick(preconditioners<T>(), preconditioner, "preconditioner").make(request);
  }
  /// The whole x on every rank.
  std::vector<T> x() const { return whole(x_); }
  /// The same of any vector.
  std::vector<T> whole(const VectorRef<T>& vector) const {
    std::vector<T> mine(static_cast<std::size_t>(A_->elements()));
    download(*backend_, mine.data(), vector.data(), mine.size());
    mine = matrix_->from_basis(mine);
    const auto columns = static_cast<std::size_t>(A_->columns());
    std::vector<T> all(static_cast<std::size_t>(system_.rows) * columns);
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
    for (std::size_t i = 0; i < values.size(); ++i)
      all[static_cast<std::size_t>(ids[i / columns]) * columns + i % columns] = values[i];
    return all;
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
  std::unique_ptr<Operator<T>> A_;
  std::unique_ptr<Workspace<T>> on_;
  Vector<T> x_, b_;
};

/// Convection and diffusion on a grid: not hermitian.
template <class T>
SmallSystem<T> convection(const std::string& name, gidx nx, gidx ny, double wind) {
  SmallSystem<T> system = grid<T>(name, nx, ny, 1, false);
  for (Entry<T>& e : system.entries) {
    const double downwind = e.row == e.col ? 4 : e.col < e.row ? -1.5 : -0.5;
    e.value += T(static_cast<RealOf<T>>(wind * downwind));
  }
  return system;
}

template <class T>
double reachable() {
  return sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-11;
}

/// Whether `work` throws AgreedError(input) whose text has all of `words`.
template <class Work>
void expect_refused(const Work& work, const std::vector<std::string>& words) {
  try {
    work();
    ADD_FAILURE() << "accepted";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

}  // namespace spmv::test
