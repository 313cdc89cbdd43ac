#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// The whole product is queued, and the host waits for nothing: one kernel that contains the exchange where
/// DistMatrix::fuses(); otherwise gather, exchange beside the interior rows, and boundary rows, replayed from
/// a recording. With a log, always these parts, so that there is something to time.
///
/// In layout merged the recording is vector mode's product: where a kernel for the boundary rows alone costs more than
/// the exchange beside the interior saves. See Mode::product.
template <class T>
void device_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
