#pragma once

#include "app/report/run_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// The whole run: load, partition, redistribute, then what the plan has: build, verify, measure. Collective;
/// throws AgreedError. A wrong result is in the report, not an error.
RunReport run_pipeline(const Run& run);

}  // namespace spmv
