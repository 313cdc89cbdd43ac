// A x = b, iterated. dist/solve/solvers.cpp is the table; a solver is one file beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dist/solve/constant_vectors.hpp"
#include "dist/solve/preconditioner.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// What a solver iterates on: A x' = b', where b' = of_b b and x = of_x x', and A is normalised. Both factors are 1 unless A or
/// b is very small or large. Vectors are of Operator::make_vector() and belong to the caller. With several columns it is a system
/// for each, with numbers of its own.
template <class T>
struct System {
  Workspace<T>& on;
  const Operator<T>& A;
  Preconditioner<T>& M;
  VectorRef<T> x = {};  // the guess, then the solution
  VectorRef<T> b = {};
  Number of_b = 1;
  Number of_x = 1;
  Number goal = 0;  // |b' - A x'| at which x is good enough

  /// b' - A x', of the product A x.
  LinearForm<T> residual(const VectorRef<T>& product) const { return of_b * b - 1 / of_x * product; }
  /// x + alpha p, of a step alpha p of x'.
  LinearForm<T> advanced(const Number& alpha, const VectorRef<T>& p) const { return x + of_x * alpha * p; }
};

/// One method at work on a system. Every line that it records has two numbers: (r, r), of the residual r that the iteration
/// begins with, and a number that is positive unless the method breaks down there; conjugate gradients add (r, z), which is
/// positive, too. Where one of the first two says stop, or is not finite, this iteration and all later ones change nothing, on
/// the device: begin_iteration() records the line and requires what must hold.
template <class T>
class Solver {
 public:
  virtual ~Solver() = default;
  /// Queues r = b' - A x' and what else comes before the first iteration. Collective.
  virtual void start() = 0;
  /// Queues one iteration and returns the number of the line that it records. Collective.
  virtual std::uint64_t iterate() = 0;
  /// Queues what start() does, where x is 0 and b is the residual that the next iteration would begin with, computed anew and times
  /// `factor`: directions may stay. Collective.
  virtual void resume(double factor) {
    static_cast<void>(factor);
    start();
  }
};

/// Table row: a solver by name.
template <class T>
struct SolverRow {
  const char* name;
  const char* summary;
  const char* needs;        // of the matrix, such as "hermitian and positive definite"
  bool hermitian;           // whether it needs a hermitian matrix, and a positive definite preconditioner
  bool definite;            // whether it needs a positive definite one, and records (r, z)
  const char* breaks_down;  // what it means if the second number of a line is not positive
  int products;             // an iteration
  int sums;                 // reductions over all ranks, an iteration
  bool hides_sums;          // whether messages of sums travel beside its products
  /// Passes over a vector, an iteration, without those of the products and without a preconditioner.
  int passes;
  /// `system` must outlive the solver, which reads x, b and the goal in every call: they may change before start(). Collective;
  /// throws AgreedError.
  std::unique_ptr<Solver<T>> (*make)(const System<T>& system);
};

template <class T = double>
const std::vector<SolverRow<T>>& solvers();

/// Why a solve ended.
enum class Stop { converged, iterations, broke_down, stagnated, not_finite, asked };
/// Its name in reports, such as "converged". Pure.
const char* to_string(Stop stop);

struct SolveOptions {
  double tolerance = 1e-8;  // of |b - A x| / |b|
  int max_iterations = 10000;
  /// Called now and then on every rank with the iterations done and |r| / |b|; returns whether to stop. What one rank
  /// answers holds for all of them from the next time on. May be empty.
  std::function<bool(int iterations, double residual)> watch = {};
  /// Whether to check what can be checked beforehand of what the solver needs: two products.
  bool check = true;
  /// For matrices that map constant vectors to 0, as pure Neumann problems do: the part of b that no x reaches is left out, and
  /// the elements of x sum up to 0.
  bool project_constant = false;
  /// What the caller calls this rank's rows, in natural order, for messages; nullptr: rows have no names.
  const std::vector<gidx>* row_ids = nullptr;
};

struct SolveResult {
  Stop stop = Stop::iterations;
  int iterations = 0;
  int restarts = 0;             // because the recursion's residual was not the true one
  int updates = 0;              // of x and the residual in double, by an inner solver
  double residual = 0;          // |b - A x| / |b|, computed from x
  double norm_b = 0;            // of what project_constant leaves of b
  double left_out = 0;          // of |b|: what project_constant leaves out, which no x reaches
  bool maps_constants = false;  // A maps constant vectors to 0, and the solver stopped without a solution
  std::vector<double> history;  // |r| / |b| before every iteration, by the recursion
  double seconds = 0;           // of the iterations
  std::string reason;           // in a sentence, where it did not converge
};

/// The numbers of one column's system, on the host.
struct SystemNumbers {
  double norm_b = 0;  // |b'|
  double of_b = 1;
  double of_x = 1;
  double goal = 0;
  int size_of_x = 0;  // exponent of |b| / |A|
};

template <class T>
class InnerSolver;

/// A solver with the vectors that it works with, for any number of right-hand sides.
template <class T>
class ReadySolver {
 public:
  /// `inner`, of the same solver: iterates, with its own preconditioner, and M is not used. All must outlive this. Collective;
  /// throws AgreedError.
  ReadySolver(const SolverRow<T>& solver, Workspace<T>& on, const Operator<T>& A, Preconditioner<T>& M,
              InnerSolver<T>* inner = nullptr);
  ReadySolver(const ReadySolver&) = delete;
  ReadySolver& operator=(const ReadySolver&) = delete;

  /// Solves A x = b from the guess in x, for every column side by side; one that is done changes nothing more. A stop without a
  /// solution is a result, not an error: x then has the last iterate that was good. Collective, the same results on all ranks;
  /// throws AgreedError(input) for a b with a value that is not finite, with its row counted from 1, or a matrix that the solver
  /// cannot be used for, and Error if MPI or the device fails.
  std::vector<SolveResult> solve_columns(const VectorRef<T>& x, const VectorRef<T>& b,
                                         const SolveOptions& options);
  /// The same of column 0.
  SolveResult solve(const VectorRef<T>& x, const VectorRef<T>& b, const SolveOptions& options) {
    return std::move(solve_columns(x, b, options).front());
  }

 private:
  void check(const SolveOptions& options) const;
  void take(const VectorRef<T>& x, const VectorRef<T>& b, const SolveOptions& options,
            std::vector<SolveResult>& results);
  void leave_out_constants(double tolerance, std::vector<SolveResult>& results);
  void give_numbers(double tolerance);
  void run(const SolveOptions& options, std::vector<SolveResult>& results);

  static constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  const SolverRow<T>& row_;
  System<T> system_;
  std::vector<SystemNumbers> numbers_;  // by column
  Vector<T> scratch_;
  std::optional<ConstantProjection<T>> projection_;  // of the present system
  Vector<T> projected_;                              // its right-hand side
  InnerSolver<T>* inner_;
  std::unique_ptr<Solver<T>> method_;  // nullptr: the inner solver iterates
};

/// One right-hand side alone: see ReadySolver::solve().
template <class T>
SolveResult solve(const SolverRow<T>& solver, Workspace<T>& on, const Operator<T>& A, Preconditioner<T>& M,
                  const VectorRef<T>& x, const VectorRef<T>& b, const SolveOptions& options,
                  InnerSolver<T>* inner = nullptr);

}  // namespace spmv
