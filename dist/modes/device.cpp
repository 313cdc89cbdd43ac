#include "core/error.hpp"
#include "core/value_types.hpp"
#include "dist/modes/products.hpp"

namespace spmv {
namespace {

template <class T>
void queue_parts(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  if (!matrix.operators().has_interior()) return vector_product(matrix, x, y, log);
  matrix.gather(x, log);
  matrix.start_exchange(x, log);
  matrix.multiply_interior(x, y, log);
  matrix.finish_exchange(x, log);
  matrix.multiply_boundary(x, y, log);
}

template <class T>
void queue_parts_unlogged(DistMatrix<T>& matrix, T* x, T* y) {
  queue_parts(matrix, x, y, nullptr);
}

}  // namespace

template <class T>
void device_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  if (!matrix.exchange_is_queued())
    throw Error(ExitCode::usage,
                "mode device queues the whole product, but the host has to wait for this transport: use "
                "--transport auto, or another mode");
  if (log != nullptr) return queue_parts(matrix, x, y, log);
  // Launched, not replayed: the blocks of a kernel that is launched may be placed on the GPU while the
  // product ahead of it still runs (wait_for_product_before() in kernels/parts/fused.cuh), those of a capture may not.
  if (matrix.fuses()) return matrix.multiply_fused(x, y);
  // Without neighbours it is one or two kernels: to launch these takes less time than a capture.
  if (matrix.plan().neighbours.empty()) return queue_parts(matrix, x, y, nullptr);
  matrix.replay(x, y, queue_parts_unlogged<T>);
}

SPMV_INSTANTIATE(device_product);

}  // namespace spmv
