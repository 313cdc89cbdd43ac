// The public MultiVector: a vector of all columns' elements, in a basis of its own.
#include "spmv_dist/multivector.hpp"

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/value_types.hpp"
#include "kernels/by_columns.hpp"
#include "lib/product.hpp"
#include "lib/translate.hpp"

namespace spmv::lib {
namespace {

template <class T>
std::shared_ptr<VectorState<T>> new_multivector(MatrixState<T>& A, spmv_dist::Side side, int columns) {
  const Communicator& all = A.context->communicator;
  require_same(all, {{"the number of columns", fmt::format("{}", columns)},
                     {"the side", side == spmv_dist::Side::x ? "x" : "y"}});
  all.together([&] {
    if (columns < 1 || columns > most_columns)
      throw Error(ExitCode::usage,
                  fmt::format("{} columns were asked for, but a MultiVector has 1 to {}: use several",
                              columns, most_columns));
  });
  const auto& basis = columns == 1 ? A.basis(side) : basis_of_columns(A, side, columns);
  return all.together([&] { return new_vector(basis); });
}

template <class T>
const std::shared_ptr<Basis<T>>& basis_of_vectors(const VectorState<T>& multi) {
  return multi.basis->columns == 1 ? multi.basis : multi.basis->of_vectors;
}

template <class T>
void require_column(const VectorState<T>& multi, int column) {
  const int columns = multi.basis->columns;
  if (column < 0 || column >= columns)
    throw Error(ExitCode::usage,
                fmt::format("column {} was named, but they are 0 to {}", column, columns - 1));
}

/// Copies a vector into the column, or `back`.
template <class T>
void copy_column(VectorState<T>& multi, int column, VectorState<T>& vector, bool back) {
  require_column(multi, column);
  if (vector.basis != basis_of_vectors(multi))
    throw Error(ExitCode::usage,
                "the column is of another matrix or side than the MultiVector: give a vector that "
                "the same matrix made for this side");
  const Basis<T>& one = *vector.basis;
  const Scope scope(*one.backend, one.threads);
  Queue& queue = ready_queue(one);
  if (back) {
    take_column(queue, multi.data, multi.basis->columns, column, one.size, vector.data);
    vector.bring();
  } else {
    vector.fetch();
    put_column(queue, vector.data, one.size, multi.data, multi.basis->columns, column);
  }
  queue.synchronize();
}

template <class T>
std::shared_ptr<VectorState<T>> column_of(VectorState<T>& multi, int column) {
  require_column(multi, column);
  auto copy = new_vector(basis_of_vectors(multi));
  copy_column(multi, column, *copy, true);
  return copy;
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::MatrixState;
using spmv::lib::VectorState;

template <class T>
MultiVector<T>::MultiVector(Matrix<T>& A, Side side, int columns) {
  state_ = translated(
      [&] { return spmv::lib::new_multivector(*Access::state<MatrixState<T>>(A), side, columns); });
}

template <class T>
int MultiVector<T>::columns() const {
  return translated([&] { return Access::state<VectorState<T>>(*this)->basis->columns; });
}

template <class T>
std::int64_t MultiVector<T>::size() const {
  return translated([&] { return spmv::lib::basis_of_vectors(*Access::state<VectorState<T>>(*this))->size; });
}

template <class T>
T* MultiVector<T>::data() {
  return translated([&] { return Access::state<VectorState<T>>(*this)->data; });
}

template <class T>
const T* MultiVector<T>::data() const {
  return const_cast<MultiVector<T>*>(this)->data();
}

template <class T>
void MultiVector<T>::set(const T* natural, std::int64_t count) {
  translated([&] { spmv::lib::set(*Access::state<VectorState<T>>(*this), natural, count); });
}

template <class T>
void MultiVector<T>::get(T* natural, std::int64_t count) const {
  translated([&] { spmv::lib::get(*Access::state<VectorState<T>>(*this), natural, count); });
}

template <class T>
void MultiVector<T>::set_column(int column, const Vector<T>& from) {
  translated([&] {
    spmv::lib::copy_column(*Access::state<VectorState<T>>(*this), column,
                           *Access::state<VectorState<T>>(from), false);
  });
}

template <class T>
void MultiVector<T>::get_column(int column, Vector<T>& to) const {
  translated([&] {
    spmv::lib::copy_column(*Access::state<VectorState<T>>(*this), column, *Access::state<VectorState<T>>(to),
                           true);
  });
}

template <class T>
Vector<T> MultiVector<T>::column(int column) const {
  return translated([&] {
    return Access::make_vector<T>(spmv::lib::column_of(*Access::state<VectorState<T>>(*this), column));
  });
}

template <class T>
void MultiVector<T>::queue_product(Matrix<T>& A, MultiVector& x, MultiVector& y) {
  translated([&] {
    spmv::lib::queue_product(*Access::state<MatrixState<T>>(A), *Access::state<VectorState<T>>(x),
                             *Access::state<VectorState<T>>(y));
  });
}

SPMV_INSTANTIATE_CLASS(MultiVector);

}  // namespace spmv_dist
