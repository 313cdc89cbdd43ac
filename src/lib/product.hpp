// What products and solvers have in common: checks of their vectors, and what a call sets for itself.
#pragma once

#include "lib/matrix.hpp"

namespace spmv::lib {

/// Throws Error(usage) after update_values() has failed. Local.
template <class T>
void require_complete(const MatrixState<T>& A);

/// Refuses vectors that do not fit a product y = A x, before anything is queued. Local; throws Error(usage).
template <class T>
void require_vectors(const MatrixState<T>& A, const VectorState<T>& x, const VectorState<T>& y,
                     bool may_be_same);

/// The basis of vectors, or of multivectors of so many columns; nullptr: no multivector of A has had so many yet. Local.
template <class T>
std::shared_ptr<Basis<T>> basis_in_use(const MatrixState<T>& A, spmv_dist::Side side, int columns);

/// For its lifetime the matrix multiplies multivectors of so many columns, which basis_of_columns() has set up; 1: vectors.
/// Calls inside a call, as of a function of the caller's, may have other numbers of columns.
template <class T>
class InColumns {
 public:
  InColumns(MatrixState<T>& A, int columns) : A_(A), before_(A.matrix->columns()), columns_(columns) {
    if (columns != 1) A.several.at(columns);
    change(before_, columns_);
  }
  ~InColumns() { change(columns_, before_); }
  InColumns(const InColumns&) = delete;
  InColumns& operator=(const InColumns&) = delete;

 private:
  void change(int from, int to) noexcept {
    if (from == to) return;
    for (const int columns : {from, to})
      if (columns != 1) A_.matrix->swap_columns(A_.several.find(columns)->second.put_away);
  }
  MatrixState<T>& A_;
  int before_, columns_;
};

/// Queues y = A x of two vectors, or of two multivectors. Collective; throws Error(usage) on ranks where they do not fit.
template <class T>
void queue_product(MatrixState<T>& A, VectorState<T>& x, VectorState<T>& y);

/// Sets the device, the threads and the number of columns for one call, and puts it in the order of the caller's stream.
template <class T>
class Call {
 public:
  explicit Call(MatrixState<T>& A, int columns = 1)
      : A_(A), scope_(*A.context->place.backend, A.threads), in_columns_(A, columns) {
    if (A.x->follows_stream) queue().wait_for_stream(A.x->stream);
  }
  Queue& queue() { return A_.matrix->compute_queue(); }
  void end() {
    if (A_.x->follows_stream) queue().hold_stream(A_.x->stream);
  }

 private:
  MatrixState<T>& A_;
  Scope scope_;
  InColumns<T> in_columns_;
};

}  // namespace spmv::lib
