#pragma once

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/run_report.hpp"
#include "comm/communicator.hpp"
#include "dist/place.hpp"

namespace spmv {

/// The whole run: load, partition, redistribute, and for every mode build, verify, measure. Collective;
/// throws AgreedError. A wrong result is in the report, not an error.
RunReport run_pipeline(const Communicator& communicator, const Options& options, const Place& place,
                       Watchdog& watchdog);

}  // namespace spmv
