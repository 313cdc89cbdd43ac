#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Vector mode with naive overlap [Kreutzer 2012, sect. 3.1]: messages are posted before the local product and waited
/// for after it. The host waits for the product, as a code without device would: MPI moves on only inside its
/// own calls. See Mode::product.
template <class T>
void naive_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
