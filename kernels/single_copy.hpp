// Vectors from one precision to single precision and back, for solvers that iterate in the lower one.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

template <class T>
class SingleCopy {
 public:
  /// Element i of a vector y in single precision is element order[i] of x. Local.
  SingleCopy(const std::vector<lidx>& order, const std::shared_ptr<Backend>& backend);
  /// Queues y[i] = factor * x[order[i]], rounded. Local.
  void to_single(Queue& queue, double factor, const T* x, SingleOf<T>* y) const;
  /// Queues x[order[i]] += factor * y[i], computed in the precision of x. Local.
  void add_single(Queue& queue, double factor, const SingleOf<T>* y, T* x) const;

 private:
  lidx count_;
  Buffer<lidx> order_;
};

}  // namespace spmv
