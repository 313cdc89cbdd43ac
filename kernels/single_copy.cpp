#include "kernels/single_copy.hpp"

#include "core/value_types.hpp"
#include "cuda_launch.hpp"

namespace spmv {

template <class T>
SingleCopy<T>::SingleCopy(const std::vector<lidx>& order, const std::shared_ptr<Backend>& backend)
    : count_(static_cast<lidx>(order.size())), order_(upload(backend, order.data(), order.size())) {}

template <class T>
void SingleCopy<T>::to_single(Queue& queue, double factor, const T* x, SingleOf<T>* y) const {
  if (count_ == 0) return;
  const lidx* order = order_.data();
  if (queue.takes_cuda_kernels()) return launch_to_single_cuda(count_, order, factor, x, y, queue.stream());
  queue.run([count = count_, order, factor = static_cast<RealOf<T>>(factor), x, y] {
#pragma omp parallel for schedule(static)
    for (lidx i = 0; i < count; ++i) y[i] = static_cast<SingleOf<T>>(factor * x[order[i]]);
  });
}

template <class T>
void SingleCopy<T>::add_single(Queue& queue, double factor, const SingleOf<T>* y, T* x) const {
  if (count_ == 0) return;
  const lidx* order = order_.data();
  if (queue.takes_cuda_kernels()) return launch_add_single_cuda(count_, order, factor, y, x, queue.stream());
  queue.run([count = count_, order, factor = static_cast<RealOf<T>>(factor), y, x] {
#pragma omp parallel for schedule(static)
    for (lidx i = 0; i < count; ++i) x[order[i]] += factor * static_cast<T>(y[i]);
  });
}

SPMV_INSTANTIATE_CLASS(SingleCopy);

}  // namespace spmv
