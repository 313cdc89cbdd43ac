// How fast memory and exchanges are, measured: input for predictions of products and for the choice of a format.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "core/backend.hpp"
#include "core/csr.hpp"
#include "dist/machine/product_time.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// What one rank's device moves while all ranks measure, in bytes per second.
struct Bandwidth {
  double copy = 0;       // within device memory, bytes read plus bytes written
  double to_device = 0;  // from staging memory to the device
  double to_host = 0;    // from the device to staging memory
  double spread =
      0;  // of `copy`: how far the quartiles of its repetitions are apart, as a share of their median
};

/// Bytes of a matrix's values and columns, for measure_bandwidth(). Pure.
template <class T>
double working_set(offset nonzeros) {
  return static_cast<double>(nonzeros) * (sizeof(T) + sizeof(lidx));
}

/// Copies on this rank's device and over its link, while all ranks do the same. The copied arrays have
/// together about `working_set` bytes, a rank's matrix, so that what fits a cache is measured in it; 16 to
/// 512 MiB. Collective.
Bandwidth measure_bandwidth(const Communicator& communicator, Backend& backend, double working_set);

/// The copy bandwidth that predictions of products expect: of a GPU, far beyond its caches; of a host, that
/// of the working set, `measured`. Collective.
double tuning_bandwidth(const Communicator& communicator, Backend& backend, const Bandwidth& measured);

/// How fast halos move, measured with two neighbours for each rank while all ranks exchange: over the transport within
/// a node that its table prefers where one node has all ranks, otherwise over the one between nodes; of those that
/// cannot fault and can be set up here. What a run takes may be faster.
struct ExchangeRate {
  double bytes_per_s = 0;
  double message_s = 0;  // a neighbour, however small its message
};

/// Collective; throws AgreedError.
ExchangeRate measure_exchange(const Communicator& communicator, const std::shared_ptr<Backend>& backend);

/// The rates of products of value type T. On a GPU every sector of x that a slice reads costs as much as its bytes from memory;
/// on a host caches serve x. Collective; throws AgreedError.
template <class T>
ProductRates product_rates(const Communicator& communicator, const std::shared_ptr<Backend>& backend,
                           const Bandwidth& mine, const Pattern& pattern) {
  ProductRates rates;
  rates.bytes = balance_bytes(sizeof(T), 0);
  if (!backend->runs_host_code()) {
    rates.bytes.nonzero +=
        sector_bytes * sectors_per_nonzero(communicator, pattern, sector_bytes / gidx{sizeof(T)});
    rates.bytes.row = sizeof(T);
  }
  rates.memory = communicator.min(mine.copy);
  if (communicator.size() == 1) return rates;
  const ExchangeRate exchange = measure_exchange(communicator, backend);
  rates.exchange = exchange.bytes_per_s;
  rates.message_s = exchange.message_s;
  return rates;
}

}  // namespace spmv
