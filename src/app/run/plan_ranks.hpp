#pragma once

#include "app/report/ranks_report.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// Loads the matrix and finds out what it would be on as many ranks as the user names, on the machine that the user
/// names. The ranks at hand only count: they may be fewer. Collective; throws AgreedError.
RanksReport plan_ranks(const Run& run);

}  // namespace spmv
