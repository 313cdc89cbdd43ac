// Products through the public interface.
#include "lib/product.hpp"

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/row_work_scope.hpp"
#include "kernels/scaled_sum.hpp"
#include "lib/translate.hpp"

namespace spmv::lib {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ExitCode::usage, message);
}

/// Throws Error(usage) for a vector, or a multivector, that is not of this side of A. Local.
template <class T>
void require_side(const MatrixState<T>& A, const VectorState<T>& v, spmv_dist::Side side) {
  const bool is_x = side == spmv_dist::Side::x;
  const char *name = is_x ? "x" : "y", *other = is_x ? "y" : "x";
  const int columns = v.basis->columns;
  if (v.basis == basis_in_use(A, side, columns)) return;
  refuse(
      columns > 1
          ? fmt::format("{0} is a MultiVector of another matrix, or the {1} of this one: make it by "
                        "MultiVector(A, Side::{0}, {2})",
                        name, other, columns)
          : fmt::format(
                "{0} is a vector of another matrix, or the {1} of this one: make it by make_{0}() or view()",
                name, other));
}

}  // namespace

template <class T>
std::shared_ptr<Basis<T>> basis_in_use(const MatrixState<T>& A, spmv_dist::Side side, int columns) {
  if (columns == 1) return A.basis(side);
  const auto found = A.several.find(columns);
  if (found == A.several.end()) return nullptr;
  return side == spmv_dist::Side::x ? found->second.x : found->second.y;
}

template <class T>
void require_complete(const MatrixState<T>& A) {
  if (!A.is_complete)
    refuse(
        "update_values failed before and left this matrix without values: call it again, or make a new Matrix");
}

template <class T>
void require_vectors(const MatrixState<T>& A, const VectorState<T>& x, const VectorState<T>& y,
                     bool may_be_same) {
  require_complete(A);
  if (x.basis->columns != y.basis->columns)
    refuse(fmt::format("x has {} columns and y {}: a product has as many of both", x.basis->columns,
                       y.basis->columns));
  require_side(A, x, spmv_dist::Side::x);
  require_side(A, y, spmv_dist::Side::y);
  // The same vector twice is refused on every rank; two views of the same memory only on ranks that have elements.
  const bool overlaps = overlap(x.begin(), x.count(), y.begin(), y.count());
  const bool same = &x == &y || (overlaps && x.begin() == y.begin());
  if (same && !may_be_same) refuse("x and y are the same memory: a product reads all of x while it writes y");
  if (overlaps && !same)
    refuse(fmt::format(
        "x and y overlap in memory: a product reads all of x, and fills the room for its halo, while it "
        "writes y; give each memory of its own, {} and {} elements long",
        x.count(), y.count()));
}

template <class T>
void queue_product(MatrixState<T>& A, VectorState<T>& x, VectorState<T>& y) {
  require_vectors(A, x, y, false);
  Call<T> call(A, x.basis->columns);
  x.fetch();
  A.mode->product(*A.matrix, x.data, y.data, nullptr);
  y.bring();
  call.end();
}

namespace {

template <class T>
void queue_product_with_factors(T alpha, MatrixState<T>& A, VectorState<T>& x, T beta, VectorState<T>& y) {
  require_vectors(A, x, y, true);
  Call<T> call(A);
  if (!A.has_product) A.context->communicator.together([&] { A.product = A.matrix->make_y(); });
  A.has_product = true;
  x.fetch();
  if (beta != T(0)) y.fetch();
  // Ranks may differ in this: their formats may, and on ranks without rows x and y may be the same memory.
  if (A.scales_rows && x.data != y.data) {
    RowWork<T> request;
    request.scales = true;
    request.factors = {.alpha = alpha, .gamma = beta};
    const RowWorkScope<T> requested(*A.matrix, request);
    A.mode->product(*A.matrix, x.data, y.data, nullptr);
  } else {
    A.mode->product(*A.matrix, x.data, A.product.data(), nullptr);
    queue_scaled_sum(call.queue(), A.matrix->rows(), alpha, static_cast<const T*>(A.product.data()), beta,
                     y.data);
  }
  y.bring();
  call.end();
}

}  // namespace

SPMV_INSTANTIATE(basis_in_use);
SPMV_INSTANTIATE(require_complete);
SPMV_INSTANTIATE(require_vectors);
SPMV_INSTANTIATE(queue_product);

}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;
using spmv::lib::VectorState;

namespace {

/// Throws unless A equals its `mirrored` matrix: option symmetry is `needed`, or values are real and A has any symmetry.
template <class T>
void require_symmetry(const Matrix<T>& A, const char* needed, const char* mirrored) {
  const std::string symmetry = translated([&] { return Access::state<MatrixState<T>>(A)->options.symmetry; });
  if (symmetry == needed || (symmetry != "general" && !spmv::is_complex<T>)) return;
  throw Error(Code::usage,
              fmt::format("the {0} product is not cheap for a matrix stored by rows: make another Matrix "
                          "from the {0} rows, or set option symmetry={1} if A is {1}",
                          mirrored, needed));
}

}  // namespace

template <class T>
void multiply_queued(Matrix<T>& A, Vector<T>& x, Vector<T>& y) {
  translated([&] {
    spmv::lib::queue_product(*Access::state<MatrixState<T>>(A), *Access::state<VectorState<T>>(x),
                             *Access::state<VectorState<T>>(y));
  });
}

template <class T>
void multiply(Matrix<T>& A, Vector<T>& x, Vector<T>& y) {
  multiply_queued(A, x, y);
  A.synchronize();
}

template <class T>
void multiply_add_queued(const typename Matrix<T>::Value& alpha, Matrix<T>& A, Vector<T>& x,
                         const typename Matrix<T>::Value& beta, Vector<T>& y) {
  translated([&] {
    spmv::lib::queue_product_with_factors<T>(alpha, *Access::state<MatrixState<T>>(A),
                                             *Access::state<VectorState<T>>(x), beta,
                                             *Access::state<VectorState<T>>(y));
  });
}

template <class T>
void multiply_add(const typename Matrix<T>::Value& alpha, Matrix<T>& A, Vector<T>& x,
                  const typename Matrix<T>::Value& beta, Vector<T>& y) {
  multiply_add_queued<T>(alpha, A, x, beta, y);
  A.synchronize();
}

template <class T>
void multiply_transposed(Matrix<T>& A, Vector<T>& x, Vector<T>& y) {
  require_symmetry(A, "symmetric", "transposed");
  multiply(A, x, y);
}

template <class T>
void multiply_adjoint(Matrix<T>& A, Vector<T>& x, Vector<T>& y) {
  require_symmetry(A, "hermitian", "adjoint");
  multiply(A, x, y);
}

SPMV_INSTANTIATE(multiply);
SPMV_INSTANTIATE(multiply_queued);
SPMV_INSTANTIATE(multiply_add);
SPMV_INSTANTIATE(multiply_add_queued);
SPMV_INSTANTIATE(multiply_transposed);
SPMV_INSTANTIATE(multiply_adjoint);

}  // namespace spmv_dist
