#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Vector mode with naive overlap [Kreutzer 2012, sect. 3.1]: messages are posted before the interior
/// product and waited for after it. The host waits for the product's end in between, as a code without a
/// device would: most MPI libraries move messages only inside their own calls, so hardly anything overlaps.
/// See Mode::product.
template <class T>
void naive_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
