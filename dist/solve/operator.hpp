// A matrix as solvers multiply by it.
//
// A matrix whose elements are very small or large is normalised: products are those of 2^-k A, so that no square of a number
// is beyond the type. k is 0 for all other matrices.
#pragma once

#include <cmath>
#include <string>

#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "kernels/combine/vector.hpp"

namespace spmv {

/// Whether products are those of A itself, or of A times a power of two that brings its elements near 1, if they are far from it.
enum class MatrixUnits { as_given, normalised };

template <class T>
class Operator {
 public:
  /// `matrix`, which has a transport, and `mode` must outlive this. Local.
  Operator(DistMatrix<T>& matrix, const Mode<T>& mode, MatrixUnits units = MatrixUnits::normalised);

  DistMatrix<T>& matrix() const { return matrix_; }
  /// Rows of y on this rank; and of x, for a matrix whose rows and columns share a basis.
  lidx rows() const { return matrix_.rows(); }
  /// Of the multivectors x and y, and the elements of all of them.
  int columns() const { return matrix_.columns(); }
  lidx elements() const { return rows() * columns(); }
  /// Room for an x and its halo, filled with zeros. Local.
  Vector<T> make_vector() const;
  /// k: products are those of 2^-k A. The same on all ranks.
  int exponent() const {
    return units_ == MatrixUnits::as_given ? 0 : beyond_safe<T>(matrix_.magnitudes().largest);
  }
  /// 2^-k
  double factor() const { return std::ldexp(1.0, -exponent()); }
  /// Whether 2^-k takes a kernel of its own after the product. Ranks may differ.
  bool scales_apart() const { return exponent() != 0 && !scales_; }
  /// Whether products can be y = alpha A x + beta w. Ranks may differ.
  bool scales() const { return scales_; }
  /// Whether products can leave their sums. Ranks may differ.
  bool sums() const { return sums_; }
  /// How products of a very small or large matrix are scaled, such as "scaled by 2^-531 in a kernel of its own", which takes
  /// another pass over y; empty: exponent() is 0. The same on all ranks. Collective.
  std::string normalisation(const Communicator& communicator) const;

  /// Queues y = A x on the matrix's queue with what is requested, where this can do it, and with 2^-k unless scales_apart().
  /// Collective.
  void queue_product(T* x, T* y, RowWork<T> request) const;

 private:
  DistMatrix<T>& matrix_;
  const Mode<T>& mode_;
  MatrixUnits units_;
  bool scales_;  // DistMatrix::scales_rows()
  bool sums_;    // DistMatrix::sums_rows()
};

}  // namespace spmv
