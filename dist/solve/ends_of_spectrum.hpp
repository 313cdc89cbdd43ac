// Where the spectrum of a hermitian matrix begins and ends.
#pragma once

#include "dist/prepare/redistribute.hpp"
#include "dist/solve/workspace.hpp"

namespace spmv {

/// The outermost eigenvalue on one side: an estimate from within the spectrum. Some eigenvalue is within `residual` of it.
struct EndOfSpectrum {
  double value = 0;
  double residual = 0;
};
struct EndsOfSpectrum {
  EndOfSpectrum lowest, highest;
  int products = 0;  // that the estimate took
};

/// The ends of the spectrum of a hermitian matrix, within some percent, by at most so many steps of Lanczos [Saad 2003,
/// alg. 6.15] from a random vector. Not finite if the matrix is not. Waits. Collective; throws Error if MPI or the device fails.
template <class T>
EndsOfSpectrum estimate_ends(Workspace<T>& on, int most_steps);

/// The largest sum of a row's absolute values: no eigenvalue is larger, as Gershgorin showed. Collective.
template <class T>
double bound_largest_eigenvalue(const Communicator& communicator, const DistributedRows<T>& rows);

}  // namespace spmv
