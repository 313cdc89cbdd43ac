#pragma once

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "app/report/analysis_report.hpp"
#include "comm/communicator.hpp"
#include "dist/place.hpp"

namespace spmv {

/// Loads the matrix, analyses it, predicts every format on this machine's device, and lets format auto
/// choose. For one rank. Throws AgreedError.
AnalysisReport analyze_matrix(const Communicator& communicator, const Options& options, const Place& place,
                              Watchdog& watchdog);

}  // namespace spmv
