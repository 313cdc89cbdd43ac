#pragma once

#include "app/report/run_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// The whole run: load, partition, redistribute, then what the plan has: build, verify, measure. Collective;
/// throws AgreedError. Returns `begun` with all that was found out; run.results keeps what is measured
/// meanwhile. A wrong result is in the report, not an error.
RunReport run_pipeline(const Run& run, RunReport begun);

}  // namespace spmv
