// Multigrid as a preconditioner, with levels that the caller brings. spmv_dist.hpp says what holds for all calls.
//
//   std::vector<spmv_dist::Level<double>> coarser;              from fine to coarse, as rows: see jobs/examples/multigrid.hpp
//   spmv_dist::Hierarchy<double> M(A, coarser);
//   spmv_dist::Solver<double> solver(A, M);                     conjugate gradients with one cycle an iteration
//
// Levels come from set-up code such as hypre's BoomerAMG, PETSc's GAMG or PyAMG, or from geometry. The cycle runs on the device
// and the host waits for nothing; its halos take the transport of A.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spmv_dist/solve.hpp"

namespace spmv_dist {

/// A coarser level, and how it hangs on the next finer one: views of arrays of the caller's, which the constructor of Hierarchy
/// reads. Each rank holds the same rows, in the same order, wherever a level is named: the rows of R are those of A, the
/// rows of P are those of the finer level's matrix, and Rows::x_size and first_x or x_ids of P name A's rows and of R the finer
/// level's. A rank may hold none of a level. Names of rows are global ids of that level, from 0 on.
template <class T>
struct Level {
  Rows<T> A;  // such as R times the finer matrix times P
  Rows<T> P;  // from this level to the finer one
  /// From the finer level to this one; empty on all ranks: the adjoint of P, as conjugate gradients need it, or a multiple of it.
  Rows<T> R = {};
};

/// The same on all ranks.
struct HierarchyOptions {
  /// z = S r, before and after the coarser levels: chebyshev, a polynomial of degree `degree` in D A, or jacobi, which is D times a
  /// number, with D = 1 / diagonal.
  std::string smoother = "chebyshev";
  int degree = 1;                      // of chebyshev, 0 to 100: so many products each time
  std::string cycle = "V";             // or W, which visits each coarser level twice
  std::int64_t largest_coarse = 2000;  // rows of the coarsest level, at most: its inverse is stored densely
};

/// A hierarchy of matrices of which each rank holds rows; copies are the same one. It keeps the levels, and refers to the values
/// that A has: after Matrix::update_values() make another one. Destroying the last copy is Collective.
template <class T>
class SPMV_DIST_EXPORT Hierarchy {
 public:
  /// `A`, the finest level, is square and was made with option partition=keep. `coarser`: the other levels from fine to coarse; the
  /// last one is inverted. Collective. Throws Error: usage for unknown names, numbers that are not allowed, or a matrix that cannot be the finest; input for levels
  /// that do not fit together, an element of a diagonal that is not positive, or a last level that is too large or has no inverse,
  /// with the level, 0 for A, and the row, counted from 1.
  Hierarchy(Matrix<T>& A, const std::vector<Level<T>>& coarser,
            const HierarchyOptions& options = HierarchyOptions());

  /// Queues z = M^-1 r, one cycle from z = 0. r and z are vectors of A without memory in common. Collective; throws
  /// Error(usage) for other vectors, or if A has other values now.
  void apply(Vector<T>& r, Vector<T>& z);

  /// Such as "3 levels with 4096, 512, 64 rows on 7, 2, 1 ranks, V-cycle, smoother chebyshev of degree 1". Local.
  std::string describe() const;

 private:
  friend struct internal::Access;
  std::shared_ptr<void> state_;
};

}  // namespace spmv_dist
