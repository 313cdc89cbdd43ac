#include "kernels/scaled_sum.hpp"

#include "core/value_types.hpp"
#include "cuda_launch.hpp"

namespace spmv {

template <class T>
void queue_scaled_sum(Queue& queue, lidx count, T alpha, const T* a, T beta, T* y) {
  if (count == 0) return;
  if (queue.stream() != nullptr) return launch_scaled_sum_cuda(count, alpha, a, beta, y, queue.stream());
  queue.run([=] {
    if (beta == T(0)) {
#pragma omp parallel for schedule(static)
      for (lidx i = 0; i < count; ++i) y[i] = alpha * a[i];
    } else {
#pragma omp parallel for schedule(static)
      for (lidx i = 0; i < count; ++i) y[i] = alpha * a[i] + beta * y[i];
    }
  });
}

SPMV_INSTANTIATE(queue_scaled_sum);

}  // namespace spmv
