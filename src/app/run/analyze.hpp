#pragma once

#include "app/report/analysis_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Loads the matrix, analyses it, predicts every format on this rank's device, and lets format auto choose.
/// For one rank. Throws AgreedError.
AnalysisReport analyze_matrix(const Run& run);

}  // namespace spmv
