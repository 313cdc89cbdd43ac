// How fast memory moves, measured: what a model of products and the choice of a format go by.
#pragma once

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "core/csr.hpp"

namespace spmv {

/// What one rank's device moves while all ranks measure, in bytes per second.
struct Bandwidth {
  double copy = 0;       // within device memory, bytes read plus bytes written
  double to_device = 0;  // from staging memory to the device
  double to_host = 0;    // from the device to staging memory
};

/// What measure_bandwidth() takes for a rank's matrix: bytes of its values and columns. Pure.
template <class T>
double working_set(const Csr<T>& block) {
  return static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx));
}

/// Copies on this rank's device and over its link, while all ranks do the same. The copied arrays have
/// together about `working_set` bytes, a rank's matrix, so that what fits a cache is measured in it; 16 to
/// 512 MiB. Collective.
Bandwidth measure_bandwidth(const Communicator& communicator, Backend& backend, double working_set);

/// The copy bandwidth that predictions of products expect: of a GPU, far beyond its caches; of a host, that
/// of the working set, `measured`. Collective.
double tuning_bandwidth(const Communicator& communicator, Backend& backend, const Bandwidth& measured);

}  // namespace spmv
