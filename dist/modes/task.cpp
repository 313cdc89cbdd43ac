#include "core/value_types.hpp"
#include "dist/modes/products.hpp"

namespace spmv {

template <class T>
void task_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  if (!matrix.operators().has_interior()) return vector_product(matrix, x, y, log);
  matrix.gather(x, log);
  const bool queue_works_beside_us = !matrix.compute_queue().works_at_once();
  if (matrix.plan().neighbours.empty() || (matrix.exchange_is_queued() && queue_works_beside_us)) {
    matrix.start_exchange(x, log);
    matrix.finish_exchange(x, log);
    matrix.multiply_interior(x, y, log);
    matrix.multiply_boundary(x, y, log);
    return;
  }
  CommThread& thread = matrix.comm_thread();
  thread.submit([&matrix, x, log] {
    matrix.start_exchange(x, log);
    matrix.finish_exchange(x, log);
  });
  try {
    matrix.multiply_interior(x, y, log);
  } catch (...) {
    thread.join_dropping_failure();  // its work uses x and the matrix, which may end with this exception
    throw;
  }
  thread.join();
  matrix.multiply_boundary(x, y, log);
}

SPMV_INSTANTIATE(task_product);

}  // namespace spmv
