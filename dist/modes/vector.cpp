#include "core/value_types.hpp"
#include "dist/modes/products.hpp"

namespace spmv {

template <class T>
void vector_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  matrix.gather(x, log);
  matrix.start_exchange(x, log);
  matrix.finish_exchange(x, log);
  matrix.multiply_merged(x, y, log);
}

SPMV_INSTANTIATE(vector_product);

}  // namespace spmv
