#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Task mode (002, sect. 3.1, Fig. 4): the communication thread does D2H, MPI and H2D while the local product
/// runs. See Mode::product.
template <class T>
void task_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
