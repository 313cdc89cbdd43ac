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

/// For its lifetime the matrix multiplies multivectors of so many columns, which basis_of_columns() has set up; 1: vectors.
template <class T>
class InColumns {
 public:
  InColumns(MatrixState<T>& A, int columns)
      : A_(A), set_up_(columns == 1 ? nullptr : &A.several.at(columns).put_away) {
    swap();
  }
  ~InColumns() { swap(); }
  InColumns(const InColumns&) = delete;
  InColumns& operator=(const InColumns&) = delete;

 private:
  void swap() noexcept {
    if (set_up_ != nullptr) A_.matrix->swap_columns(*set_up_);
  }
  MatrixState<T>& A_;
  typename DistMatrix<T>::ForColumns* set_up_;
};

/// Queues y = A x of two vectors, or of two multivectors. Collective; throws Error(usage) on ranks where they do not fit.
template <class T>
void queue_product(MatrixState<T>& A, VectorState<T>& x, VectorState<T>& y);

/// Sets the device, the threads and the caller's stream for one call, and puts it in the order of the caller's stream.
template <class T>
class Call {
 public:
  explicit Call(MatrixState<T>& A) : A_(A), scope_(*A.context->place.backend, A.threads) {
    if (A.x->follows_stream) queue().wait_for_stream(A.x->stream);
  }
  Queue& queue() { return A_.matrix->compute_queue(); }
  void end() {
    if (A_.x->follows_stream) queue().hold_stream(A_.x->stream);
  }

 private:
  MatrixState<T>& A_;
  Scope scope_;
};

}  // namespace spmv::lib
