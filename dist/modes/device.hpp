#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// The whole product is queued, the host waits for nothing, and it is replayed from a recording: as one
/// kernel that contains the exchange where DistMatrix::fuses(), otherwise as gather, exchange beside the
/// interior rows, boundary rows. With a log, always the latter, so that there are parts to time. See
/// Mode::product.
template <class T>
void device_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
