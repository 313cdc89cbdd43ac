#pragma once

#include "app/report/run_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// The whole run: load, partition, move and order rows, then build, verify and measure. Returns `begun`
/// with all results filled in; meanwhile run.results keeps what is measured so far. A wrong result is in the report, not
/// an error. Collective; throws AgreedError.
RunReport run_pipeline(const Run& run, RunReport begun);

}  // namespace spmv
