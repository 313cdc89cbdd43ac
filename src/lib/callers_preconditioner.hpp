// A function of the caller's as a preconditioner of dist/solve.
#pragma once

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <utility>

#include "dist/solve/preconditioner.hpp"
#include "lib/matrix.hpp"
#include "lib/translate.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::lib {

template <class T>
class CallersPreconditioner final : public Preconditioner<T> {
 public:
  using Vector = spmv_dist::Vector<T>;
  using Function = typename spmv_dist::Solver<T>::PreconditionerFunction;

  /// `A` must outlive this.
  CallersPreconditioner(MatrixState<T>& A, Function function) : A_(A), function_(std::move(function)) {}

  /// Queues what the function does behind the matrix's work. After the function has thrown, z is NaN, so that all ranks stop.
  void apply(T* r, T* z) override {
    Queue& queue = A_.matrix->compute_queue();
    if (thrown_ == nullptr && call(queue, r, z)) return normalise(z);
    queue.fill(z, 0xff, static_cast<std::size_t>(A_.matrix->rows()) * sizeof(T));
  }
  /// Before a solve: what an earlier one has not thrown is forgotten.
  void forget_throw() { thrown_ = nullptr; }
  /// Throws what the function has thrown on this rank, once.
  void rethrow() {
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  bool call(Queue& queue, T* r, T* z) {
    const Basis<T>& basis = *A_.x;
    try {
      if (basis.follows_stream) queue.hold_stream(basis.stream);
      function_(vector_at(r), vector_at(z));
      if (basis.follows_stream) queue.wait_for_stream(basis.stream);
      return true;
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }
  /// What approximates A^-1 r becomes what approximates (2^-k A)^-1 r.
  void normalise(T* z) {
    Workspace<T>& on = *A_.solver_workspace;
    if (on.exponent() == 0) return;
    Combination<T> c(on.rows());
    const auto vector = c.vector(z);
    c.set(vector, c.formula.constant(std::ldexp(1.0, on.exponent())) * vector);
    on.combine(c);
  }
  /// The same for the same memory, so that the caller can tell the solver's vectors apart.
  Vector& vector_at(T* data) {
    const auto known = vectors_.find(data);
    if (known != vectors_.end()) return known->second;
    auto state = std::make_shared<VectorState<T>>();
    state->basis = A_.x;
    state->data = data;
    return vectors_.emplace(data, spmv_dist::internal::Access::make_vector<T>(state)).first->second;
  }

  MatrixState<T>& A_;
  Function function_;
  std::map<T*, Vector> vectors_;
  std::exception_ptr thrown_;
};

}  // namespace spmv::lib
