// A subspace of vectors in which a hermitian matrix is a small one: Lanczos with reorthogonalisation, made to be restarted
// with some combinations of its vectors [Wu & Simon 2000, SIAM J. Matrix Anal. Appl. 22(2)].
//
//   A V = V T + r e^T,   V^H V = 1,   V^H r = 0,   e the last unit vector
//
// T is real: tridiagonal, and after a restart an arrow in front of that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dist/solve/workspace.hpp"
#include "dist/spectrum/eigen_symmetric.hpp"

namespace spmv {

template <class T>
class LanczosSubspace {
 public:
  /// For `size` vectors, at most the matrix's rows, of which at most `most_kept` survive a restart. V^H V differs from 1, and
  /// A V from what is said above in units of |A|, by about a tenth of `precision`, or by rounding. Begins with a random vector,
  /// which `start_seed` chooses, from 1 on. `on` and `A` must outlive this. Collective; throws AgreedError(memory), naming what
  /// would be needed.
  LanczosSubspace(Workspace<T>& on, const Operator<T>& A, int size, int most_kept, double precision,
                  unsigned start_seed);
  ~LanczosSubspace();
  LanczosSubspace(const LanczosSubspace&) = delete;
  LanczosSubspace& operator=(const LanczosSubspace&) = delete;

  /// Adds vectors until the subspace is full: a product each. Where the vectors so far span an invariant subspace, the next one
  /// is random. The device never waits for the host, except in that case and at the end. Returns false if a number that is
  /// not finite came up: then the subspace is of no use. Collective.
  bool extend();
  /// T of a full subspace.
  const SmallMatrix& projected() const { return projected_; }
  /// |r| of a full subspace.
  double coupling() const { return coupling_; }
  /// Queues to[i] = V s_i, for column columns[i] of `s`, and returns `to`, which the next call overwrites; at most
  /// most_kept. Local.
  std::vector<Vector<T>>& combine(const SmallMatrix& s, const std::vector<int>& columns);
  /// Goes on with the subspace of these eigenvectors of T and with r, or with a random vector instead: T then lacks r, so what is
  /// found beside the vectors that are kept has residuals that are up to their |r e^T s| larger than T says. Collective.
  enum class Next { residual, random };
  void restart(const SymmetricEigen& of_projected, const std::vector<int>& kept, Next next);

  /// Whether the subspace spans all vectors of the matrix.
  bool is_whole_space() const { return whole_space_; }
  /// All that extend() has queued.
  int products() const { return products_; }
  /// Sums over all ranks so far.
  int sums() const { return sums_; }

 private:
  /// Vectors of the subspace, by number, that one kernel works with.
  using Group = std::vector<int>;
  enum class Advance { full, invariant, lost, not_finite };
  Advance advance();
  bool loses_orthogonality(int first);
  bool is_orthogonalised(int j, int first) const;
  std::uint64_t step(int j, int first);
  std::uint64_t recur(int j, bool first, const Group& group);
  void begin(int j);
  void begin_again(int j);
  void begin_with(int j, const VectorRef<T>& vector);
  void orthogonalise(int vectors, int all);
  void add_overlaps(const Group& group);
  void subtract(const Group& group);
  void sum_norm();
  void add_up();
  void add_to_pair(std::size_t at, const SmallMatrix& s, std::array<int, 2> columns, int first);
  const VectorRef<T>& vector(int j) const { return subspace_[static_cast<std::size_t>(j)]; }
  void couple(int i, int j, double value) { projected_(i, j) = projected_(j, i) = value; }

  Workspace<T>& on_;
  const Operator<T>& A_;
  int size_;
  bool whole_space_;
  std::vector<Vector<T>> subspace_;
  std::vector<Vector<T>> spare_;  // for combinations
  Vector<T> newest_;              // r: the next vector of the subspace, not normalised
  Vector<T> product_;  // products go back and forth between these two, whatever the size of the subspace
  SmallMatrix projected_;
  double most_loss_;        // of orthogonality
  int plain_steps_;         // between two pairs of steps that restore it
  double loss_ = 0;         // a bound on the overlap of the newest vector with others ...
  double loss_before_ = 0;  // ... and of the one before
  double coupling_ = 0;
  double scale_ = 0;              // the largest number of T so far
  bool lacks_residuals_ = false;  // T does not know those of vectors that were kept beside a random one
  int done_ = 0;                  // columns of T that are known
  int products_ = 0;
  int sums_ = 0;
  unsigned random_;  // number of the next random vector
};

}  // namespace spmv
