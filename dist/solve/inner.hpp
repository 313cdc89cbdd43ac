// Iterations in single precision for a solution in double.
#pragma once

#include <string>

#include "dist/solve/iterate.hpp"
#include "kernels/single_copy.hpp"

namespace spmv {

/// The exponent k of the copy in single precision 2^-k A of A, whose largest element is near 1. Pure.
int exponent_of_single(const Magnitudes& magnitudes);
/// The rows of that copy. Local.
template <class T>
DistributedRows<SingleOf<T>> rows_in_single(const DistributedRows<T>& rows, const Magnitudes& magnitudes);

/// A solver in single precision that brings x in double nearer to the solution, with reliable updates [Clark 2010].
template <class T>
class InnerSolver {
 public:
  using S = SingleOf<T>;
  /// `A`, of rows_in_single(), with the preconditioner M; `of_double`: the matrix itself. All must outlive
  /// this, and `on` works on the queue of both matrices. Local.
  InnerSolver(const SolverRow<S>& solver, Workspace<S>& on, const Operator<S>& A, Preconditioner<S>& M,
              const Operator<T>& of_double);
  InnerSolver(const InnerSolver&) = delete;
  InnerSolver& operator=(const InnerSolver&) = delete;

  /// Preconditioner::not_definite() of its own.
  std::string not_definite() const { return in_.M.not_definite(); }
  /// Solves the system, which is of one column and has these numbers, from its x. `r` is room for a residual, `projection` may be
  /// nullptr. Collective.
  void solve(const System<T>& system, const SystemNumbers& numbers, const VectorRef<T>& r,
             ConstantProjection<T>* projection, const SolveOptions& options, const Asked& asked,
             SolveResult& result);

 private:
  Stop improve(const System<T>& system, const SystemNumbers& numbers, const VectorRef<T>& r, double norm,
               bool goes_on, const Asked& asked, int most, SolveResult& result);

  const SolverRow<S>& row_;
  System<S> in_;
  Vector<S> x_, b_;
  SingleCopy<T> copy_;
  gidx rows_ = 0;  // of all ranks
  int exponent_;   // e: the operator in double is 2^e times that in single precision
  int scale_ = 0;  // of b: it is 2^-scale times the residual
  std::unique_ptr<Solver<S>> method_;
};

}  // namespace spmv
