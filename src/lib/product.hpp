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
