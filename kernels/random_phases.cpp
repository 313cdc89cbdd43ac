#include "kernels/random_phases.hpp"

#include "core/value_types.hpp"
#include "cuda_launch.hpp"

namespace spmv {

template <class T>
void queue_random_phases(Queue& queue, lidx count, const gidx* ids, unsigned number, T* v, int columns) {
  if (count == 0) return;
  if (queue.takes_cuda_kernels())
    return launch_random_phases_cuda(count, ids, number, v, columns, queue.stream());
  queue.run([=] {
#pragma omp parallel for schedule(static)
    for (offset i = 0; i < offset{count} * columns; ++i) {
      const auto column = static_cast<unsigned>(i % columns);
      const RandomPhase phase = random_phase(ids[i / columns], number + column, is_complex<T>);
      if constexpr (is_complex<T>)
        v[i] = T(static_cast<RealOf<T>>(phase.real), static_cast<RealOf<T>>(phase.imaginary));
      else
        v[i] = static_cast<T>(phase.real);
    }
  });
}

SPMV_INSTANTIATE(queue_random_phases);

}  // namespace spmv
