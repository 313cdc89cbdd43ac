#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Vector mode without overlap [Kreutzer 2012, sect. 3.1]: the product starts when the whole halo is there,
/// and writes y once. See Mode::product.
template <class T>
void vector_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
