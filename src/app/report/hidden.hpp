// How much of the halo's own time a mode did not wait for: one rule for all reports.
#pragma once

#include <optional>

#include "app/report/run_report.hpp"

namespace spmv {

/// From 0 to 1; nothing where there is no halo, as on one rank, and where the median is known less well than the halo's own
/// time. Pure.
std::optional<double> hidden_share(const RunReport& report, const ModeResult& mode);

}  // namespace spmv
