#pragma once

#include "app/report/report_json.hpp"
#include "app/report/run_report.hpp"

namespace spmv {

/// The timelines of all modes as events of Chrome's trace format: a process for every rank, a thread for
/// everything that can work beside the rest (kernels, copies each way, the host thread that moves messages),
/// arrows along the halo's way, modes one after the other on the time axis. Pure.
Json trace_events(const RunReport& report);

}  // namespace spmv
