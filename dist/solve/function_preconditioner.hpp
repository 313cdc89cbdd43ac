// A preconditioner that the caller brings along.
#pragma once

#include <functional>
#include <utility>

#include "dist/solve/preconditioner.hpp"

namespace spmv {

template <class T>
class FunctionPreconditioner final : public Preconditioner<T> {
 public:
  /// `function` queues z = M^-1 r on DistMatrix::compute_queue(), or waits for that queue, computes z and returns. r and z have
  /// Workspace::rows() elements in device memory, in the basis of the matrix (DistMatrix::to_basis()); r is left as it is. It
  /// is called on all ranks in the same order. For conjugate gradients, M must be hermitian and positive definite.
  explicit FunctionPreconditioner(std::function<void(T* r, T* z)> function)
      : function_(std::move(function)) {}
  void apply(T* r, T* z) override { function_(r, z); }

 private:
  std::function<void(T* r, T* z)> function_;
};

}  // namespace spmv
