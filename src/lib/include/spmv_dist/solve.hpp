// Solvers of A x = b on a spmv_dist::Matrix, and what solvers of one's own are made of. spmv_dist.hpp says what holds for all
// calls: Collective and Local, errors, threads, versions.
//
//   auto result = solve(A, b, x, {"cg", "jacobi", 1e-10});      x: the guess, then the solution
//   if (result.stop != spmv_dist::Stop::converged) puts(result.reason.c_str());
//
//   spmv_dist::Solver<double> solver(A, options);               set up once
//   for (...) solver.solve(b, x);                               for many right-hand sides
//
// A solver of one's own queues products and combinations of vectors, and the numbers between them stay on the device. The host
// reads some of them a few iterations later, and never waits for the newest. jobs/examples/own_cg.hpp is one:
//
//   spmv_dist::Workspace<double> on(A);
//   const auto alpha = slot(0) / slot(1);                       computed on the device, from sums of all ranks
//   spmv_dist::Combination<double> step(on);
//   step.require(goal * goal < slot(0));                        else it changes nothing
//   step.set(x, x + alpha * p).set(r, r - alpha * s).sum(0, r, r);
//   on.multiply_and_sum(A, p, s, 1, 2);                         s = A p, slot 1 = (p, s), slot 2 = (s, s)
//   on.run(step);                                               one kernel
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spmv_dist/spmv_dist.hpp"

namespace spmv_dist {

/// Why a solve ended.
enum class Stop : int {
  converged = 0,
  iterations = 1,  // SolveOptions::max_iterations or EigenOptions::max_restarts were not enough
  broke_down =
      2,  // the method does not work for this matrix: cg and the like for one that is not positive definite
  stagnated = 3,   // the residual stopped falling
  not_finite = 4,  // an infinity or a NaN came up
  asked = 5,       // by the options' `watch`
};
/// Its name, such as "broke_down"; empty for a number that is none of these. Local.
SPMV_DIST_EXPORT const char* to_string(Stop stop);

/// The same on all ranks, except for `watch`.
struct SolveOptions {
  /// For hermitian positive definite matrices: cg, conjugate gradients with one reduction an iteration; cg_classical, with two,
  /// as in textbooks; cg_pipelined, whose reduction no product waits for, and which is less accurate. For hermitian ones that
  /// are indefinite: minres. For any square matrix: bicgstab; and bicgstab_2, which converges where eigenvalues of a real matrix
  /// are far from real and bicgstab stagnates.
  std::string solver = "cg";
  /// M, with M^-1 close to A^-1: none; jacobi, the diagonal, whose elements must not be 0, and be positive unless the solver is
  /// bicgstab or bicgstab_2; block_jacobi, the dense blocks of `block_size` rows on the diagonal, which must have inverses; chebyshev, M^-1 = a
  /// polynomial of degree `degree` in A, for hermitian positive definite matrices.
  std::string preconditioner = "none";
  /// Of |b - A x| / |b|, 2-norms; 0: until it stagnates or the iterations are used up. Single precision reaches 1e-5 or so.
  double tolerance = 1e-8;
  int max_iterations = 10000;  // 0 or more
  /// Called on every rank, about five times a second, with the iterations done and |r| / |b|; returns whether to stop. If one
  /// rank wants to stop, all do. What it throws is thrown by solve() on that rank, and the others stop as asked. May be empty.
  std::function<bool(int iterations, double residual)> watch = {};
  int degree = 3;  // of chebyshev, 1 to 100: so many products for each M^-1 r
  /// Of block_jacobi: rows of a block, 1 to 64, counted from the first row of every rank. Blocks of more than 8 rows need option
  /// largest_block of the Matrix.
  int block_size = 8;
  /// Of chebyshev, which damps the interval [largest_eigenvalue / 30, largest_eigenvalue]. 0: estimated by 20 products. Where
  /// it is too small, it is replaced by the largest sum of a row's absolute values; Solver::preconditioner() says so.
  double largest_eigenvalue = 0;
  /// none; float: iterations and preconditioner in single precision, on a copy of the matrix that its option inner=float keeps, and x
  /// and the residuals in double: the same solution, in an iteration that moves half the bytes. For one right-hand side at a time, and
  /// preconditioners by name.
  std::string inner = "none";
};

/// The same on all ranks, except for `seconds`.
struct SolveResult {
  Stop stop = Stop::iterations;
  int iterations = 0;
  int restarts = 0;     // 0 or 1: from the true residual, because the computed one had left it
  double residual = 0;  // |b - A x| / |b|, computed from x at the end; 0 for b = 0, which x = 0 solves
  std::vector<double> history;  // |r| / |b| before every iteration and at the end, once more for each restart
  double seconds = 0;           // of the iterations on this rank, without what is set up or checked before
  std::string reason;           // a sentence for people; empty if it converged
  int updates = 0;              // of x and the residual in double, with SolveOptions::inner
};

template <class T>
class Hierarchy;
template <class T>
class MultiVector;

/// Solves systems with one square matrix; copies are the same solver. The constructor sets up the sums over ranks, unless
/// an earlier solver of the matrix has left its own, the preconditioner, and the vectors that the solver works with (cg: 4,
/// with a preconditioner that is neither none nor jacobi 6): solve() allocates no device memory from the second time on.
/// Destroying the last copy is Collective.
template <class T>
class SPMV_DIST_EXPORT Solver {
 public:
  using Value = T;
  /// A preconditioner of the caller's: queues z = M^-1 r, by calls such as multiply_queued() and Workspace::run(), or computes
  /// z and returns when it is complete. solve() calls it on all ranks in the same order, so its calls may be Collective.
  ///
  /// r and z are in the basis of the matrix, with Vector::size() elements and room for the halo after them. They belong to the
  /// solver: use them only during the call, Combinations of them included, and leave r as it is. Kernels in a stream of the
  /// caller's are ordered with the solver's after Matrix::order_with(stream); without it, wait by A.synchronize() before r is
  /// read, and for z before the function returns. A Workspace that it uses is its own. It may call solvers and searches, also
  /// of the same A.
  ///
  /// For conjugate gradients, M is hermitian, positive definite and the same in all calls. What the function throws is thrown by
  /// solve() on that rank, and the others stop as not_finite; a function with Collective calls must throw on all ranks or on
  /// none.
  using PreconditionerFunction = std::function<void(Vector<T>& r, Vector<T>& z)>;

  /// `preconditioner`: used instead of one that options.preconditioner names, which is "none" then. Empty: none of the caller's.
  /// Collective. Throws Error: usage for unknown names, for numbers that are not allowed or a matrix that is not square, input
  /// for a matrix that the preconditioner cannot take or with a value that is not finite, with its row counted from 1,
  /// environment if no transport works for sums.
  explicit Solver(Matrix<T>& A, const SolveOptions& options = SolveOptions(),
                  PreconditionerFunction preconditioner = {});

  /// One cycle of a hierarchy of A as preconditioner; options.preconditioner is "none". It keeps the hierarchy. Collective; throws as
  /// the other constructor, and Error(usage) for a hierarchy of another matrix or of values that A had before.
  Solver(Matrix<T>& A, const Hierarchy<T>& M, const SolveOptions& options = SolveOptions());

  /// Improves the guess in x until it solves A x = b. x and b are vectors of A without memory in common. Not to solve it is no
  /// error but a result, and x then holds the last finite iterate,
  /// which may be worse than the guess. After update_values() the preconditioner and the vectors are made
  /// anew. Returns when x is complete. Collective; throws Error: usage for vectors of another matrix, or after update_values()
  /// has failed, input for a value that is not finite in b, x or A, with its row counted from 1, for a guess or a solution
  /// beyond the value type, or for a matrix that is not hermitian and a solver that needs one, which the first solve of these
  /// values checks by two products.
  SolveResult solve(const Vector<T>& b, Vector<T>& x);
  /// The same for every column of B, side by side: the matrix is read once for all of them, and each has numbers and a result of its
  /// own. One that is done changes nothing more; `seconds` are those of all. The first solve with a number of columns makes the
  /// preconditioner and the vectors for so many, besides those for vectors. A caller's preconditioner gets one column after another,
  /// and so does a hierarchy; options.watch is told of the largest residual. Include multivector.hpp.
  std::vector<SolveResult> solve(const MultiVector<T>& B, MultiVector<T>& X);

  /// Its name and what was chosen for it, such as "chebyshev, degree 3 on [0.267, 8], estimated". Local.
  std::string preconditioner() const;

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

/// A Solver for one right-hand side. Collective; throws as the constructor and solve() of Solver.
template <class T>
SolveResult solve(Matrix<T>& A, const Vector<T>& b, Vector<T>& x,
                  const SolveOptions& options = SolveOptions(),
                  typename Solver<T>::PreconditionerFunction preconditioner = {}) {
  return Solver<T>(A, options, std::move(preconditioner)).solve(b, x);
}
/// The same for every column of B.
template <class T>
std::vector<SolveResult> solve(Matrix<T>& A, const MultiVector<T>& B, MultiVector<T>& X,
                               const SolveOptions& options = SolveOptions(),
                               typename Solver<T>::PreconditionerFunction preconditioner = {}) {
  return Solver<T>(A, options, std::move(preconditioner)).solve(B, X);
}

/// A number in a formula that the device computes when a combination runs, in double precision, complex for complex matrices.
/// Made of constants, of slots, and of other numbers by + - * / and < >, which compare real parts and give 1 or 0. All calls
/// are Local.
class SPMV_DIST_EXPORT Number {
 public:
  enum class Operation : int {
    constant,
    imaginary,
    slot,
    plus,
    minus,
    times,
    over,
    root,
    conjugate,
    less,
    where
  };
  Number(double constant);  // NOLINT(google-explicit-constructor): 2 * slot(0)

  friend Number operator+(const Number& a, const Number& b) { return Number(Operation::plus, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return Number(Operation::minus, a, b); }
  friend Number operator-(const Number& a) { return 0 - a; }
  friend Number operator*(const Number& a, const Number& b) { return Number(Operation::times, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return Number(Operation::over, a, b); }
  friend Number operator<(const Number& a, const Number& b) { return Number(Operation::less, a, b); }
  friend Number operator>(const Number& a, const Number& b) { return b < a; }
  /// The square root of the real part.
  friend Number root(const Number& a) { return Number(Operation::root, a, a); }
  friend Number conjugate(const Number& a) { return Number(Operation::conjugate, a, a); }
  /// `value` where `condition` is not 0, and 0 elsewhere, even where `value` is no number.
  friend Number where(const Number& condition, const Number& value) {
    return Number(Operation::where, condition, value);
  }
  /// What a slot of the workspace holds when the combination starts. Slots 0 to 3 hold sums over all ranks, 4 to 31 what
  /// Combination::store() left; all are 0 at first.
  friend SPMV_DIST_EXPORT Number slot(int number);

 private:
  friend struct internal::Access;
  Number(Operation operation, const Number& a, const Number& b);
  explicit Number(std::shared_ptr<const void> state) : state_(std::move(state)) {}
  std::shared_ptr<const void> state_;
};
/// Throws Error(usage) for a number that is not from 0 to 31. Local.
SPMV_DIST_EXPORT Number slot(int number);

/// A vector times a number.
template <class T>
struct Term {
  Vector<T> vector;
  Number coefficient = 1;
  bool negative = false;
};

/// A sum of vectors with coefficients, such as x + alpha * p - q.
template <class T>
class LinearForm {
 public:
  LinearForm(const Vector<T>& only) : terms_{{only}} {}  // NOLINT(google-explicit-constructor): set(p, r)
  explicit LinearForm(Term<T> only) : terms_{std::move(only)} {}
  const std::vector<Term<T>>& terms() const { return terms_; }

  friend LinearForm operator+(LinearForm a, const LinearForm& b) { return std::move(a.add(b, false)); }
  friend LinearForm operator-(LinearForm a, const LinearForm& b) { return std::move(a.add(b, true)); }
  friend LinearForm operator*(const Number& factor, LinearForm form) {
    for (Term<T>& term : form.terms_) term.coefficient = factor * term.coefficient;
    return form;
  }

 private:
  LinearForm& add(const LinearForm& other, bool negative) {
    for (Term<T> term : other.terms_) {
      term.negative = term.negative != negative;
      terms_.push_back(std::move(term));
    }
    return *this;
  }
  std::vector<Term<T>> terms_;
};
template <class T>
LinearForm<T> operator*(const Number& coefficient, const Vector<T>& vector) {
  return LinearForm<T>(Term<T>{vector, coefficient});
}
template <class T>
LinearForm<T> operator*(const Vector<T>& vector, const Number& coefficient) {
  return coefficient * vector;
}
template <class T>
LinearForm<T> operator/(const Vector<T>& vector, const Number& divisor) {
  return (1 / divisor) * vector;
}
template <class T>
LinearForm<T> operator-(const Vector<T>& vector) {
  return LinearForm<T>(Term<T>{vector, 1, true});
}
template <class T>
LinearForm<T> operator+(const Vector<T>& a, const Vector<T>& b) {
  return LinearForm<T>(a) + LinearForm<T>(b);
}
template <class T>
LinearForm<T> operator-(const Vector<T>& a, const Vector<T>& b) {
  return LinearForm<T>(a) - LinearForm<T>(b);
}

/// Sums and dot products: double, or std::complex<double> for complex vectors.
template <class T>
using Scalar = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;

/// Numbers that a combination has recorded for the host.
struct Line {
  std::int64_t number = 0;         // counted from 1 in a workspace; 0: there is none yet
  std::array<double, 4> column{};  // by Combination::record(); infinite where there is no line yet
  double operator[](int i) const { return column[static_cast<std::size_t>(i)]; }
};

template <class T>
class Combination;

/// What a solver of one's own works with: slots for numbers on the device, and sums of all ranks. It
/// multiplies by any matrix of its context. Copies are the same workspace. Destroying the last copy is Collective.
///
/// It keeps the matrix that it was made with, and uses the queue of that one: Matrix::synchronize() of that matrix,
/// Vector::get() and order_with() hold for it as for products. Everything is added in a fixed order: the same bits on all ranks
/// and in every run.
template <class T>
class SPMV_DIST_EXPORT Workspace {
 public:
  /// Collective; throws Error(environment) if no transport works for sums.
  explicit Workspace(Matrix<T>& A);

  /// Queues y = A x, of vectors of A, which need not be square. Collective.
  void multiply(Matrix<T>& A, Vector<T>& x, Vector<T>& y);
  /// Queues y = A x, slot xy = (x, y) and slot yy = (y, y), or (y, weight y) where weight is a diagonal. (a, b) is the sum of
  /// conj(a_i) b_i over all ranks. xy and yy are slots 0 to 3. x, y and weight are vectors of A without memory in common.
  /// Collective; throws Error(usage) for a matrix that is not square.
  void multiply_and_sum(Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy);
  void multiply_and_sum(Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy, const Vector<T>& weight);
  /// Queues a combination. If its formulas read a slot from 0 to 3 and new sums are waiting, the ranks add them up first: one
  /// reduction. Collective; throws Error(usage) for a combination of another context.
  void run(const Combination<T>& combination);

  /// The newest recorded line that can be read without letting the device run dry: on a GPU four lines back, on a host the
  /// last one. Waiting for it costs nothing while the device is busy, and it is the same on all ranks. A solver that stops by
  /// such a line has queued up to four iterations too many, which change nothing if the combinations of its loop require what the
  /// host looks for. Local.
  Line line() const;

  /// A loop, such as that of a solver: once a combination in it has found a requirement that does not hold, all later ones change
  /// nothing until the next loop begins. Local.
  void begin_loop();
  void end_loop();

  /// These wait for all that is queued; value() adds up new sums first. Collective.
  Scalar<T> value(int slot);
  Scalar<T> dot(const Vector<T>& a, const Vector<T>& b) const;
  double norm(const Vector<T>& a) const;

  /// What carries the sums; empty on one rank. Local.
  std::string transport() const;

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

/// A loop of a workspace for the length of a scope, also where it ends by an exception.
template <class T>
class Loop {
 public:
  explicit Loop(Workspace<T>& on) : on_(on) { on_.begin_loop(); }
  ~Loop() { on_.end_loop(); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

 private:
  Workspace<T>& on_;
};

/// Steps on vectors that run as one kernel, in which every vector is read and written once at most. Made once and run often:
/// formulas are computed anew in every run. It refers to its vectors, which are of one matrix and have no memory in common. It
/// keeps the vectors that it was made with: after std::swap(v, w) it still works on the memory that v had, so a recurrence that
/// swaps vectors needs a combination for each arrangement. At most 6 vectors, 6 changes (set and multiply), 4 sums and 64 steps
/// in all formulas; it may have stores and records alone.
///
/// All calls are Local and return the combination; they throw Error(usage) if something is too much, for vectors of different
/// matrices, or a slot that does not exist. Make the same calls on all ranks.
template <class T>
class SPMV_DIST_EXPORT Combination {
 public:
  explicit Combination(const Workspace<T>& on);

  /// Where the condition is 0, or no number, this combination changes nothing but its line; nor do later ones of the same loop.
  Combination& require(const Number& condition);
  /// target = form. Later steps see what earlier ones made.
  Combination& set(const Vector<T>& target, const LinearForm<T>& form);
  /// target = a times b, element by element.
  Combination& multiply(const Vector<T>& target, const Vector<T>& a, const Vector<T>& b);
  /// Slot 0 to 3 = (a, b) of all ranks, once a later combination reads it; a and b as they are after all changes.
  Combination& sum(int slot, const Vector<T>& a, const Vector<T>& b);
  /// Slot 4 to 31 = number, for later combinations; no formula of this one reads that slot.
  Combination& store(int slot, const Number& number);
  /// Column 0 to 3 of the line that every run then records for the host = the real part of number.
  Combination& record(int column, const Number& number);

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

}  // namespace spmv_dist
