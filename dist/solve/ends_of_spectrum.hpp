// Where the spectrum of a hermitian matrix begins and ends.
#pragma once

#include <functional>
#include <vector>

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
  double rounding = 0;  // of products: the spectrum may be wider by about so much on both sides
  int products = 0;     // that the estimate took
};

/// A symmetric tridiagonal matrix: off[i] stands beside diagonal[i] and diagonal[i + 1].
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> off;
};

/// The ends of the spectrum of a matrix that Lanczos projected to this one; `beta` is next in `off`. By rank 0, for its matrix:
/// the same bits on all ranks. Not finite if the matrix is not. Collective; throws AgreedError(internal).
EndsOfSpectrum ends_of(const Communicator& communicator, const Tridiagonal& matrix, double beta);

/// Whether an estimate is good enough: asked after the first steps and now and then after them. The same on all ranks.
using EnoughOfSpectrum = std::function<bool(const EndsOfSpectrum& so_far)>;

/// The ends of the spectrum of a hermitian matrix, within some percent, by so many steps of Lanczos [Saad 2003, alg. 6.15] from a
/// random vector, or more until it is `enough`; fewer if these have seen all of the spectrum. However far from 0 it lies, its
/// width is found, down to the rounding errors of a product. Not finite if the matrix is not. Waits. Collective; throws Error
/// if MPI or the device fails.
template <class T>
EndsOfSpectrum estimate_ends(Workspace<T>& on, const Operator<T>& A, int steps,
                             const EnoughOfSpectrum& enough = {});

/// The largest sum of a row's absolute values: no eigenvalue is larger, as Gershgorin showed. Collective.
template <class T>
double bound_largest_eigenvalue(const Communicator& communicator, const DistributedRows<T>& rows);

}  // namespace spmv
