// The product of each mode; see Mode::product.
#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Vector mode without overlap [Kreutzer 2012, sect. 3.1]: the product starts when the whole halo is there,
/// and writes y once.
template <class T>
void vector_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

/// Vector mode with naive overlap [Kreutzer 2012, sect. 3.1]: messages are posted before the interior
/// product and waited for after it. The host waits for the product's end in between, as a code without a
/// device would: most MPI libraries move messages only inside their own calls, so hardly anything overlaps.
template <class T>
void naive_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

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
/// two kernels and two threads cost more than they can hide.
template <class T>
void task_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

/// The whole product is queued, and the host waits for nothing: one kernel that contains the exchange where
/// DistMatrix::fuses(); otherwise gather, exchange beside the interior rows, and boundary rows, replayed from
/// a capture. With a log, always these parts, so that there is something to time.
///
/// In layout merged the capture is vector mode's product: where a kernel for the boundary rows alone costs more than
/// the exchange beside the interior saves.
template <class T>
void device_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
