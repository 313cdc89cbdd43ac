#pragma once

#include "dist/dist_matrix.hpp"

namespace spmv {

/// Task mode [Kreutzer 2012, sect. 3.1, Fig. 4]: the communication thread does D2H, MPI and H2D while the local product
/// runs, or, in the parted layout, the interior rows. Where the transport only queues work, so that the
/// device moves the halo and nobody need wait for it, or nothing is to be moved, the calling thread queues it
/// ahead of the local product instead: a thread would only add the time of handing over. (The host's own
/// queues do their work at once; there the thread is needed.) In the merged layout nothing runs beside the
/// halo, and it does as vector mode does: for halos that take so long that two passes over the rows, or two
/// threads, cost more than can be hidden. See Mode::product.
template <class T>
void task_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);

}  // namespace spmv
