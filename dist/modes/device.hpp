#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// The whole product is queued, and the host waits for nothing: one kernel that contains the exchange where
/// DistMatrix::fuses(); otherwise gather, exchange beside the interior rows, and boundary rows, replayed from
/// a recording. With a log, always these parts, so that there is something to time. See Mode::product.
template <class T>
void device_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
