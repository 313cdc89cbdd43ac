#pragma once

#include "app/report/model_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Loads the pattern of the whole matrix and walks it through the caches of this host and of a GPU; measures the host's
/// bandwidth. On one rank. Collective; throws AgreedError.
ModelReport model_matrix(const Run& run);

}  // namespace spmv
