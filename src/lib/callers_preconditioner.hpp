// A function of the caller's as a preconditioner of dist/solve.
#pragma once

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <utility>

#include "dist/solve/preconditioner.hpp"
#include "lib/translate.hpp"
#include "lib/workspace.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::lib {

template <class T>
class CallersPreconditioner final : public Preconditioner<T> {
 public:
  using Vector = spmv_dist::Vector<T>;
  using Function = typename spmv_dist::Solver<T>::PreconditionerFunction;

  /// `A` and `on` must outlive this.
  CallersPreconditioner(MatrixState<T>& A, Workspace<T>& on, Function function)
      : A_(A), on_(on), function_(std::move(function)) {}

  /// Queues what the function does after the matrix's work. After the function has thrown, z is NaN, so that all ranks stop.
  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override {
    if (thrown_ == nullptr && call(on_.queue(), r.at, z.at)) return normalise(z);
    on_.queue().fill(z.at, 0xff, static_cast<std::size_t>(z.count) * sizeof(T));
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
  void normalise(const VectorRef<T>& z) {
    const int k = operator_of_solvers(A_).exponent();
    if (k != 0) on_.run(Combination<T>().set(z, std::ldexp(1.0, k) * z));
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
  Workspace<T>& on_;
  Function function_;
  std::map<T*, Vector> vectors_;
  std::exception_ptr thrown_;
};

}  // namespace spmv::lib
