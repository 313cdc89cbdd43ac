#include "core/value_types.hpp"
#include "dist/modes/products.hpp"

namespace spmv {

template <class T>
void naive_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  matrix.gather(x, log);
  matrix.start_exchange(x, log);
  matrix.multiply_interior(x, y, log);
  matrix.compute_queue().synchronize();
  matrix.finish_exchange(x, log);
  matrix.multiply_boundary(x, y, log);
}

SPMV_INSTANTIATE(naive_product);

}  // namespace spmv
