// Where the spectrum of a hermitian matrix ends.
#pragma once

#include "dist/prepare/redistribute.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// An estimate from below, within some percent, of the largest eigenvalue of a hermitian matrix: that of some steps of
/// Lanczos [Saad 2003, alg. 6.15] from a random vector. Collective; throws Error if MPI or the device fails.
template <class T>
double estimate_largest_eigenvalue(Workspace<T>& on);

/// The largest sum of a row's absolute values: no eigenvalue is larger, as Gershgorin showed. Collective.
template <class T>
double bound_largest_eigenvalue(const Communicator& communicator, const DistributedRows<T>& rows);

}  // namespace spmv
