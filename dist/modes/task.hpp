#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Task mode [Kreutzer 2012, sect. 3.1, Fig. 4]: the communication thread moves the halo (to the host, by
/// MPI, to the device) while the interior product runs.
///
///   calling thread       gather │ interior product │ wait for the thread │ boundary product
///   communication thread        │ start and finish the exchange │
///
/// Where the exchange only queues work, or nothing is to be moved, the calling thread queues the exchange
/// ahead of the interior product instead: the device moves the halo, and the thread would only add the time
/// of handing over. The host backend's queues do their work at once, so that there the thread is needed.
///
/// In layout merged nothing runs beside the halo, and this is vector mode: for halos that take so long that
/// two kernels and two threads cost more than they can hide. See Mode::product.
template <class T>
void task_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
