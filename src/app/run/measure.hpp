#pragma once

#include "app/launch/machine.hpp"
#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "app/run/product.hpp"
#include "comm/communicator.hpp"

namespace spmv {

/// Runs a mode until the median of the whole product is settled, then a few products with their phases timed.
/// Fills everything of ModeResult but the verification. Collective.
template <class T>
ModeResult measure(const Communicator& communicator, Product<T>& product, const Mode<T>& mode,
                   const Options& options, Watchdog& watchdog);

/// Copies on this rank's device and over its link, while all ranks do the same. The copied arrays have
/// together about `working_set` bytes, a rank's matrix, so that what fits a cache is measured in it; 16 to
/// 512 MiB. Collective.
Bandwidth measure_bandwidth(const Communicator& communicator, Backend& backend, double working_set);

/// The copy bandwidth that predictions of products expect: of a GPU, far beyond its caches; of a host, that
/// of the working set, `measured`. Collective.
double tuning_bandwidth(const Communicator& communicator, Backend& backend, const Bandwidth& measured);

}  // namespace spmv
