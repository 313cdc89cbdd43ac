#pragma once

#include "app/report/report_json.hpp"
#include "app/report/run_report.hpp"

namespace spmv {

/// The section `pictures` of a run's JSON, which src/app/html/README.md describes: what was collected, and of every mode the
/// timeline of one product, of a few ranks. Pure.
Json pictures_json(const RunReport& report);

}  // namespace spmv
