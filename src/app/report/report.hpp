// The run's results for people (stdout), for programs (JSON, CSV) and for timeline viewers.
#pragma once

#include <string>

#include "app/report/run_report.hpp"

namespace spmv {

/// The report in 80 columns: what was multiplied, and the table that compares the modes. Pure.
std::string to_text(const RunReport& report);

/// The whole report as aligned text in wide lines, with what was tried and chosen, the model, and the phases of products.
/// Pure.
std::string to_verbose_text(const RunReport& report);

/// Everything, as one JSON object. Pure.
std::string to_json(const RunReport& report);

/// A header line and one line per mode, each with its environment. Pure.
std::string to_csv(const RunReport& report);

/// The timeline of one product of every mode and rank in Chrome's trace format; times in microseconds since
/// the product began on its rank. Pure.
std::string to_trace(const RunReport& report);

}  // namespace spmv
