// Every mode of a run, over every transport and in every layout that it is measured in.
#pragma once

#include <array>

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "core/reference.hpp"
#include "dist/place.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/product.hpp"

namespace spmv {

/// The matrix where it will be multiplied, and what its products must be.
template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x> reference;  // empty without --verify
};

/// Builds the matrix once in each layout that is wanted, one at a time, and in each of them verifies and
/// measures the modes that have it. Fills partition, footprint, model, formats and results of `report`; a
/// mode has one result per transport, in the order in which they were named. `tuning_bandwidth` is what
/// format auto predicts with. Collective; throws AgreedError.
template <class T>
void run_modes(const Communicator& communicator, const Options& options, const Place& place,
               Watchdog& watchdog, const Problem<T>& problem, const Bandwidth& my_bandwidth,
               double tuning_bandwidth, RunReport& report);

}  // namespace spmv
