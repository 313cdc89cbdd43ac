#include "kernels/by_columns.hpp"

#include "core/value_types.hpp"
#include "cuda_launch.hpp"

namespace spmv {

template <class T>
void take_column(Queue& queue, const T* multi, int k, int j, lidx count, T* column) {
  if (count == 0) return;
  if (queue.takes_cuda_kernels()) return launch_take_column_cuda(multi, k, j, count, column, queue.stream());
  queue.run([=] {
#pragma omp parallel for schedule(static)
    for (lidx i = 0; i < count; ++i) column[i] = multi[offset{i} * k + j];
  });
}

template <class T>
void put_column(Queue& queue, const T* column, lidx count, T* multi, int k, int j) {
  if (count == 0) return;
  if (queue.takes_cuda_kernels()) return launch_put_column_cuda(column, count, multi, k, j, queue.stream());
  queue.run([=] {
#pragma omp parallel for schedule(static)
    for (lidx i = 0; i < count; ++i) multi[offset{i} * k + j] = column[i];
  });
}

template <class T>
void apply_by_columns(const LocalOperator<T>& op, Queue& queue, const T* x, T* y, int k, Update update,
                      const ColumnScratch<T>& scratch) {
  for (int j = 0; j < k; ++j) {
    take_column(queue, x, k, j, scratch.x_count, scratch.x);
    // Also where the operator assigns: it may leave rows alone, which are put back.
    take_column(queue, y, k, j, scratch.y_count, scratch.y);
    op.apply(queue, scratch.x, scratch.y, update);
    put_column(queue, scratch.y, scratch.y_count, y, k, j);
  }
}

SPMV_INSTANTIATE(take_column);
SPMV_INSTANTIATE(put_column);
SPMV_INSTANTIATE(apply_by_columns);

}  // namespace spmv
