// A preconditioner that a test brings along.
#pragma once

#include <functional>
#include <utility>

#include "dist/solve/preconditioner.hpp"

namespace spmv::test {

template <class T>
class FunctionPreconditioner final : public Preconditioner<T> {
 public:
  /// `function` queues z = M^-1 r on the queue of the workspace, or waits for that queue, computes z and returns.
  using Function = std::function<void(const VectorRef<T>& r, const VectorRef<T>& z)>;
  explicit FunctionPreconditioner(Function function) : function_(std::move(function)) {}
  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override { function_(r, z); }

 private:
  Function function_;
};

}  // namespace spmv::test
