// Several vectors at once, which one product multiplies together. spmv_dist.hpp says what holds for all calls.
//
//   spmv_dist::MultiVector<double> X(A, spmv_dist::Side::x, 8), Y(A, spmv_dist::Side::y, 8);
//   X.set(...);  multiply(A, X, Y);  Y.get(...);                Y = A X
//
// The matrix is read once for all columns, and their halos travel together. Formats that take one vector at a time multiply column
// after column. Products of vectors, and of multivectors with other numbers of columns, may come in between, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "spmv_dist/spmv_dist.hpp"

namespace spmv_dist {

/// This rank's elements of several x or y of one matrix, 1 to 32 columns, stored by rows: the elements of a row lie side by side, one of each
/// column. Otherwise as a Vector: in the memory where products run, in the basis of this rank, with room for the halo after
/// them. Copies are the same multivector. It may outlive its matrix. Destroying the last copy waits for the work that is queued.
/// All calls but the constructor and products are Local; columns count from 0.
template <class T>
class SPMV_DIST_EXPORT MultiVector {
 public:
  /// Zeros. The first with a number of columns sets up the products of so many: a transport, which A keeps. Of a square matrix
  /// each serves as X and as Y. Collective; throws Error(usage) unless `columns` is 1 to 32, Error(memory) where a rank would have more than 2^31 - 1 elements.
  MultiVector(Matrix<T>& A, Side side, int columns);

  int columns() const;
  /// Elements of each column that this rank owns.
  std::int64_t size() const;
  /// Element i of column j, in the basis of this rank, is data()[i * columns() + j]. Device memory with backend cuda.
  T* data();
  const T* data() const;

  /// From the natural order, by rows: element i of column j is natural[i * columns() + j]. `count` = size() * columns() elements in
  /// host or device memory. Returns when done.
  void set(const T* natural, std::int64_t count);
  void set(const std::vector<T>& natural) { set(natural.data(), static_cast<std::int64_t>(natural.size())); }
  /// To the natural order, likewise, after all products that were queued so far.
  void get(T* natural, std::int64_t count) const;
  std::vector<T> get() const {
    std::vector<T> natural(static_cast<std::size_t>(size()) * static_cast<std::size_t>(columns()));
    get(natural.data(), static_cast<std::int64_t>(natural.size()));
    return natural;
  }
  /// Copies a vector, of the same matrix and side, into a column, and back. Returns when done.
  void set_column(int column, const Vector<T>& from);
  void get_column(int column, Vector<T>& to) const;
  /// A copy of a column.
  Vector<T> column(int column) const;

  /// Y = A X, as the products of vectors: X and Y are of A and have the same number of columns, on all ranks. Collective; what is wrong with its
  /// arguments is thrown by the ranks where it is wrong.
  friend void multiply(Matrix<T>& A, MultiVector& X, MultiVector& Y) {
    queue_product(A, X, Y);
    A.synchronize();
  }
  /// The same, but returns when it is queued.
  friend void multiply_queued(Matrix<T>& A, MultiVector& X, MultiVector& Y) { queue_product(A, X, Y); }

 private:
  friend struct internal::Access;
  static void queue_product(Matrix<T>& A, MultiVector& X, MultiVector& Y);
  std::shared_ptr<void> state_;
};

}  // namespace spmv_dist
