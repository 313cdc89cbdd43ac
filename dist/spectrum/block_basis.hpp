// A basis of blocks of vectors in which a hermitian matrix is a small dense one:
//
//   V = [V_0, V_1, ...],   G = V^H V,   H = V^H A V
//
// Each block is a multivector of k columns. G is 1 to half the digits, by construction, and is known as well as rounding allows,
// by measuring: so errors of orthogonality do not grow, and nothing breaks down where vectors are nearly dependent
// [Hetmaniuk & Lehoucq 2006, J. Comput. Phys. 218; Duersch et al. 2018, SIAM J. Sci. Comput. 40(5)]. Columns for which there is
// no direction left are 0.
#pragma once

#include <vector>

#include "dist/solve/workspace.hpp"
#include "dist/spectrum/dense.hpp"
#include "dist/spectrum/orthonormal.hpp"
#include "kernels/dense/block_work.hpp"

namespace spmv {

template <class T>
class BlockBasis {
 public:
  using Element = DenseElement<T>;
  using Small = Dense<Element>;

  /// For at most `blocks` blocks, of which a restart keeps at most `kept`. `on` and `A`, of the same columns, must outlive this.
  /// Collective; throws AgreedError(memory).
  BlockBasis(Workspace<T>& on, const Operator<T>& A, int blocks, int kept);
  ~BlockBasis();
  BlockBasis(const BlockBasis&) = delete;
  BlockBasis& operator=(const BlockBasis&) = delete;

  bool is_full() const { return blocks_ == most_; }
  /// Columns of V, those that are 0 included: as many rows has a matrix of coefficients.
  int columns() const { return blocks_ * on_.columns(); }
  /// Directions of V.
  int directions() const { return static_cast<int>(directions_.size()); }

  /// W, a block for the caller to fill before extend(); where a product finds room for its halo.
  const VectorRef<T>& next() const { return next_; }
  /// Another one, for anything; all else overwrites it.
  const VectorRef<T>& spare() const { return spare_; }
  /// Exchanges the two.
  void swap_next();
  /// Makes what W has outside of the span of V orthonormal, as the next block, and multiplies it by A. Returns the number of
  /// new directions; there is no new block where it is 0. `start`: whether W is what norms_of_next() has seen and orthogonal to V
  /// but for rounding, as residuals of Ritz pairs are. Waits. Collective.
  enum class Start { any, residual };
  int extend(Start start);
  /// Whether all numbers have been finite so far; if not, the basis is of no use.
  bool is_finite() const { return finite_; }
  /// Queues y = V C_v + A V C_av, of as many columns as a block has. Local.
  void combine(const Small& of_v, const Small& of_av, const VectorRef<T>& y);
  void combine(const Small& of_v, const VectorRef<T>& y);
  /// The norms of the columns of W. Waits. Collective.
  std::vector<double> norms_of_next();
  /// All eigenvectors C of H c = lambda G c, with C^H G C = 1 and a row for every column of V. Collective.
  HermitianEigen<Element> ritz() const;
  /// V = V C, for C with C^H G C = 1. Waits. Collective.
  void restart(const Small& c);
  /// Makes D orthonormal and orthogonal to C in the inner product of G, for coefficients C that are orthonormal there. Columns
  /// of 0 stand for directions that are in the span of C. Collective.
  Small outside(const Small& c, Small d) const;
  /// Multiplies all blocks by A once more: rounding errors of restarts add up in A V. W stays. Collective.
  void multiply_again();

  int products() const { return products_; }
  int sums() const { return sums_; }

 private:
  Small gram(const std::vector<VectorRef<T>>& x, const VectorRef<T>& y);
  void queue(const std::vector<VectorRef<T>>& x, const Small& c, const VectorRef<T>& y);
  Small without_errors(const Small& B) const;
  std::vector<VectorRef<T>> first(const std::vector<Vector<T>>& all, int count) const;
  void keep_gram(Small& matrix, int block, const Small& of_block);
  void measure();
  void rotate(std::vector<Vector<T>>& blocks, const Small& c);
  void multiply(const VectorRef<T>& x, int block);
  void copy(const VectorRef<T>& from, const VectorRef<T>& to);

  Workspace<T>& on_;
  const Operator<T>& A_;
  int most_;
  BlockWork<T> work_;
  std::vector<Vector<T>> v_, av_, rotated_;
  Vector<T> next_, spare_, product_;
  Small G_, H_;                  // of all columns there can be
  Small squares_;                // W^H W, by norms_of_next()
  std::vector<int> directions_;  // columns of V that are not 0
  int blocks_ = 0;
  bool finite_ = true;
  int products_ = 0;
  int sums_ = 0;
};

}  // namespace spmv
