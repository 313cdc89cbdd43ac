// One product again and again, with vectors prepared and x changing, for verification and measurement.
#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"

namespace spmv {

/// Number of different x that products cycle through: product n has x number n % distinct_x. Odd, so that a
/// transport with two halves of a mailbox never finds the right old elements in one.
inline constexpr unsigned distinct_x = 3;

/// What column j of multivector number n is made of: x number (n + j) % distinct_x, times 2^(j / distinct_x). No two columns are the
/// same, and three references are enough for all of them.
struct ColumnOfX {
  unsigned number;
  int exponent;
};
constexpr ColumnOfX column_of_x(unsigned number, int column) {
  const auto j = static_cast<unsigned>(column);
  return {(number + j) % distinct_x, static_cast<int>(j / distinct_x)};
}

/// Multivector number `number` of so many columns, by its rows. x_of(number): a vector. Pure.
template <class T>
std::vector<T> columns_of_x(const std::function<std::vector<T>(unsigned)>& x_of, unsigned number,
                            int columns);

/// Owns every x and y on the device and, if x and y live on the host, staging memory for them.
template <class T>
class Product {
 public:
  /// original_col: DistributedRows::original_col, from which x_value() makes x. `matrix` must outlive this.
  /// Local.
  Product(DistMatrix<T>& matrix, const std::vector<gidx>& original_col, bool vectors_on_host);
  /// x(number): this rank's elements of x number 0 to distinct_x - 1, in natural order.
  Product(DistMatrix<T>& matrix, const std::function<std::vector<T>(unsigned number)>& x,
          bool vectors_on_host);

  /// Queues y = A x with x number % distinct_x, after what is queued already. Collective.
  void queue(const Mode<T>& mode, unsigned number, PhaseLog* log);
  /// Returns when y is complete.
  void synchronize() { matrix_.compute_queue().synchronize(); }
  void run(const Mode<T>& mode, unsigned number, PhaseLog* log) {
    queue(mode, number, log);
    synchronize();
  }
  /// Moves the halo of x number 0 and nothing else. Collective.
  void exchange_only();
  /// NaN into y and everything that the product with this number must overwrite. Local; blocks.
  void poison(unsigned number);
  /// The columns of y of the last product, which must be complete and had this number, in natural order: each is that of x number
  /// column_of_x(number, column).number alone, without the power of two. Local.
  std::vector<std::vector<T>> columns_of_y(unsigned number) const;
  /// Column 0 of it, which has the power 0 in every product.
  std::vector<T> y() const { return std::move(columns_of_y(0).front()); }
  DistMatrix<T>& matrix() { return matrix_; }

 private:
  DistMatrix<T>& matrix_;
  bool vectors_on_host_;
  std::array<Buffer<T>, distinct_x> x_;
  std::array<Buffer<T>, distinct_x> host_x_;
  Buffer<T> y_;
  Buffer<T> host_y_;
};

}  // namespace spmv
