// One level of a hierarchy on its ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/pick.hpp"
#include "dist/solve/chebyshev_iteration.hpp"
#include "dist/solve/coarse_level.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// A matrix on the queue of the finest one, over its transport, and how it multiplies.
template <class T>
class LevelMatrix {
 public:
  /// `row_order`, `x_order`: of the levels that it leads to and from; both empty for a matrix of a level itself, which chooses
  /// them. Collective; throws AgreedError.
  LevelMatrix(const Communicator& communicator, const DistMatrix<T>& finest, const DistributedRows<T>& rows,
              const std::string& format, std::vector<lidx> row_order = {}, std::vector<lidx> x_order = {});
  const Operator<T>& by() const { return by_; }
  lidx ghosts() const { return matrix_.ghosts(); }

 private:
  DistMatrix<T> matrix_;
  Operator<T> by_;
};

template <class T>
struct HierarchyLevel {
  std::unique_ptr<LevelMatrix<T>> own;  // nullptr: the finest, which belongs to the caller
  const Operator<T>* A = nullptr;
  RowPartition rows{{0}};
  std::unique_ptr<LevelMatrix<T>> R, P;     // to the next coarser level and back; nullptr on the coarsest
  std::unique_ptr<LevelMatrix<T>> inverse;  // of A on the coarsest, unless that is the finest
  Vector<T> D;                              // 1 / diagonal; no vector: it is the same everywhere
  std::unique_ptr<ChebyshevIteration<T>> smoother;  // nullptr where there is an inverse
  Vector<T> r, z;                                   // of this level; no vectors on the finest
  Vector<T> t, s;  // a residual, and what the smoother or a second visit makes of it

  const std::vector<lidx>& order() const { return A->matrix().operators().x_order; }
};

/// 1 / the diagonal of a level, and where the spectrum of the level's D A ends.
struct LevelDiagonal {
  std::vector<double> inverse;  // in natural order
  bool constant = false;        // on all ranks
  double bound = 0;             // the largest sum of |D A| over a row, of all ranks
};

/// Collective; throws AgreedError(input) for an element that is not positive, with level and row.
template <class T>
LevelDiagonal find_level_diagonal(const Communicator& communicator, const DistributedRows<T>& rows,
                                  std::size_t level, int exponent);

/// The largest eigenvalue of D A, about, by a power iteration, and `bound` at most. `factor`: D where it is no vector. `first`:
/// the id of this rank's first row. Waits. Collective.
template <class T>
double largest_smoothed(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& D, double factor,
                        double bound, gidx first);

/// Where the rows of a level move before it works.
struct LevelMove {
  RowPartition given;
  Move move;
};

/// Every rank keeps its rows. Collective.
LevelMove keep_level(const Communicator& communicator, const RowPartition& rows);

/// On average `least_rows` rows a rank, or more: else the first of 2, 4, 8, ... neighbouring ranks takes the rows of all of them.
/// Ids stay, and the ranks of a smaller level are some of those of a larger one. Collective.
LevelMove gather_level(const Communicator& communicator, const RowPartition& rows, gidx least_rows);

/// Throws AgreedError(input) unless the matrices of a level fit together and to the rows of the finer one. Collective.
template <class T>
void require_level(const Communicator& communicator, const CoarseLevel<T>& level, std::size_t number,
                   const RowPartition& finer);

}  // namespace spmv
